"""Describe the figures of the analysis, and the scope of cases that they count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from typing import Self

from matcher.model import Change, Level
from wenhen.cases.model import CaseStatus

# What the analysis counts: which cases it looks at, and the figures that come out.


class ChartPeriod(StrEnum):
    """How long a period of a chart over time is; weeks begin on Monday, days at midnight in Asia/Shanghai."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Measure(StrEnum):
    """What of a match a histogram can be made of, each a share in [0, 1]."""

    SIMILARITY = "similarity"
    SHARE_OF_PAGE = "share_of_page"
    SHARE_OF_WORK = "share_of_work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The cases that are looked at; None lets every value pass. Dismissed and licensed ones are no copies."""

    since: datetime | None = None  # opened at this time or later
    until: datetime | None = None  # opened before
    host: str | None = None
    work_id: str | None = None
    level: Level | None = None
    status: CaseStatus | None = None
    confirmed: bool = False  # only those that a person has confirmed, whatever became of them since


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The cases opened in one period, by where they stand now; dismissed ones are counted here."""

    start: date
    cases: Mapping[CaseStatus, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One column of a histogram: how many cases lie in [low, high); the last one holds its upper end too."""

    low: float
    high: float
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFigure:
    """The passages of one kind of change, and how many characters of pages they cover."""

    change: Change
    passages: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyCount:
    """How many cases count as copies of something, and when the last of them was opened."""

    copies: int
    last: datetime

    def with_others(self, others: Self) -> Self:
        """Both together."""
        return replace(self, copies=self.copies + others.copies, last=max(self.last, others.last))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTrend:
    """The copies on a host: all, when the last was found, and how many since each of some moments up to the next."""

    copies: int
    last: datetime | None
    found: tuple[int, ...]

    @classmethod
    def together(cls, hosts: Sequence[Self], periods: int) -> Self:
        """Those of several hosts."""
        return cls(
            copies=sum(host.copies for host in hosts),
            last=max((host.last for host in hosts if host.last), default=None),
            found=tuple(sum(host.found[period] for host in hosts) for period in range(periods)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Copies that were first fetched between `low` and `high` days after the work was published; None: no bound."""

    low: int | None
    high: int | None
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFigures:
    """The copies of a scope: by level, by each measure, by delay, and how many took some of each part of their work."""

    levels: Mapping[Level, int]
    shares: Mapping[Measure, list[Bin]]
    delays: list[Delay]
    parts: list[int]  # equal ones, from the beginning to the end


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFigure:
    """One host: its cases by status, how many copies are gone, and the works they are taken from."""

    host: str
    cases: Mapping[CaseStatus, int]
    gone: int  # copies that a later look no longer found
    works: int
    mean_share_of_page: float
    notices: int  # cases of which a notice was sent
    days_to_removal: float | None  # from the notice to the removal, the mean; None where nothing was removed after one


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """How many pages of a host copy a work, those of one cluster or of none together."""

    work_id: str
    host: str
    cluster_id: str | None
    copies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFigure:
    """One work: how many cases on how many hosts copy it, and the largest share that one of them took."""

    work_id: str
    title: str
    cases: int
    hosts: int
    largest_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTaking:
    """What was taken of one work. characters: of the work, in all passages of its copies; confirmed: by a person."""

    work_id: str
    title: str
    copies: int
    confirmed: int
    characters: int
    confirmed_characters: int
    largest_share: float  # of the work, in one copy


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTaking:
    """What was taken of all works, the one of which most characters were taken first; and how notices were met.

    Days from a notice to the removal are of the copies that were removed after one; None where none was.
    """

    works: tuple[WorkTaking, ...] = ()
    first_seen: datetime | None = None  # the first copy
    first_notice: datetime | None = None
    noticed: int = 0  # copies of which a notice was sent
    removed: int = 0  # of these
    days_fastest: float | None = None
    days_mean: float | None = None
    days_slowest: float | None = None

    @property
    def copies(self) -> int:
        """Of all works."""
        return sum(work.copies for work in self.works)

    @property
    def confirmed(self) -> int:
        """Copies that a person has confirmed, whatever became of them since."""
        return sum(work.confirmed for work in self.works)

    @property
    def confirmed_works(self) -> int:
        """Works of which a copy was confirmed."""
        return sum(work.confirmed > 0 for work in self.works)

    @property
    def characters(self) -> int:
        """Of all copies."""
        return sum(work.characters for work in self.works)

    @property
    def confirmed_characters(self) -> int:
        """Of the confirmed copies."""
        return sum(work.confirmed_characters for work in self.works)
