"""Define the figures of the analysis, the scope of cases that they count, and the periods of its charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Self

from matcher.model import Change, Level
from wenhen.cases.model import CaseStatus

# The scope of the analysis, and its figures.


class ChartPeriod(StrEnum):
    """The length of a period of a time chart. Weeks begin on Monday, days at midnight in Asia/Shanghai."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Measure(StrEnum):
    """The values of a match for histograms, each a share in [0, 1]."""

    SIMILARITY = "similarity"
    SHARE_OF_PAGE = "share_of_page"
    SHARE_OF_WORK = "share_of_work"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A filter for cases; None matches every value. Dismissed and licensed cases are no copies."""

    since: datetime | None = None  # opened at this time or later
    until: datetime | None = None  # opened before
    host: str | None = None
    work_id: str | None = None
    holder: str | None = None  # owner of the work
    level: Level | None = None
    status: CaseStatus | None = None
    confirmed: bool = False  # only cases that a person has confirmed, whatever their later status


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """The cases opened in one period, by current status. Dismissed ones are included."""

    start: date
    cases: Mapping[CaseStatus, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthFigure:
    """What became of cases in one month in China: how many were opened, confirmed, noticed and removed.

    found: None for one person, because no person opens a case. Days are means until the step: from the opening to the
    confirmation and to the notice, and from the notice to the removal. None without any.
    """

    month: date  # first day
    found: int | None
    confirmed: int = 0
    notice_sent: int = 0
    removed: int = 0
    days_to_confirmation: float | None = None
    days_to_notice: float | None = None
    days_to_removal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyFigure:
    """The amounts of money of cases, in one currency: of one holder in one month, or of all where those are None."""

    month: date | None = None  # first day
    holder: str | None = None  # owner of the works
    currency: str
    claimed: float = 0
    offered: float = 0
    agreed: float = 0
    paid: float = 0
    cost: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """A bin of a histogram: the number of cases in [low, high). The last bin includes its upper end."""

    low: float
    high: float
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFigure:
    """The passages of one kind of change, and the characters of pages that they cover."""

    change: Change
    passages: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyCount:
    """The number of copies, and the time when the last one was opened."""

    copies: int
    last: datetime

    def with_others(self, others: Self) -> Self:
        """Return the sum of both."""
        return replace(self, copies=self.copies + others.copies, last=max(self.last, others.last))


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTrend:
    """The copies on a host: all, the time of the last, and the number in each of some periods."""

    copies: int
    last: datetime | None
    found: tuple[int, ...]

    @classmethod
    def together(cls, hosts: Sequence[Self], periods: int) -> Self:
        """Return the sum over several hosts."""
        return cls(
            copies=sum(host.copies for host in hosts),
            last=max((host.last for host in hosts if host.last), default=None),
            found=tuple(sum(host.found[period] for host in hosts) for period in range(periods)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """Copies first fetched between `low` and `high` days after the publication of the work; None: no bound."""

    low: int | None
    high: int | None
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyFigures:
    """The copies of a scope: by level, by measure, by delay, and by the part of the work that they took."""

    levels: Mapping[Level, int]
    shares: Mapping[Measure, list[Bin]]
    delays: list[Delay]
    parts: list[int]  # equal parts, from the beginning to the end


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFigure:
    """The figures of a host: cases by status, copies that are gone, and the works that are copied."""

    host: str
    cases: Mapping[CaseStatus, int]
    gone: int  # copies that a later look-up did not find
    works: int
    mean_share_of_page: float
    notices: int  # cases with a sent notice
    days_to_removal: float | None  # mean days from the notice to the removal; None without a removal after a notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The number of pages of a host, of one cluster or of none, that copy a work."""

    work_id: str
    host: str
    cluster_id: str | None
    copies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFigure:
    """The figures of a work: its cases, their hosts, and the largest share that a copy took."""

    work_id: str
    title: str
    cases: int
    hosts: int
    largest_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTaking:
    """The text taken from one work. characters: of the work, in all passages of its copies. confirmed: by a person."""

    work_id: str
    title: str
    copies: int
    confirmed: int
    characters: int
    confirmed_characters: int
    largest_share: float  # of the work, in one copy


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteTaking:
    """The text taken from all works, the one with the most characters first, and the reactions to notices.

    The days from a notice to the removal count copies that were removed after one; None without any.
    """

    works: tuple[WorkTaking, ...] = ()
    first_seen: datetime | None = None  # time of the first copy
    first_notice: datetime | None = None
    noticed: int = 0  # copies with a sent notice
    removed: int = 0  # of these
    days_fastest: float | None = None
    days_mean: float | None = None
    days_slowest: float | None = None

    @property
    def copies(self) -> int:
        """Return the number of copies of all works."""
        return sum(work.copies for work in self.works)

    @property
    def confirmed(self) -> int:
        """Return the number of copies that a person has confirmed, whatever their later status."""
        return sum(work.confirmed for work in self.works)

    @property
    def confirmed_works(self) -> int:
        """Return the number of works with a confirmed copy."""
        return sum(work.confirmed > 0 for work in self.works)

    @property
    def characters(self) -> int:
        """Return the characters of all copies."""
        return sum(work.characters for work in self.works)

    @property
    def confirmed_characters(self) -> int:
        """Return the characters of the confirmed copies."""
        return sum(work.confirmed_characters for work in self.works)


def fill_periods(periods: Sequence[Period], pace: ChartPeriod, first: date, last: date) -> list[Period]:
    """Return the periods from that of `first` to that of `last`, including those without a case."""
    by_start = {period.start: period for period in periods}
    start, wanted = period_start(first, pace), []
    while start <= last:
        wanted.append(by_start.get(start) or Period(start=start, cases={}))
        start = next_period_start(start, pace)
    return wanted


def period_start(day: date, pace: ChartPeriod) -> date:
    """Return the first day of the period of this day.

    >>> period_start(date(2026, 3, 4), ChartPeriod.WEEK).isoformat()
    '2026-03-02'
    >>> period_start(date(2026, 3, 4), ChartPeriod.MONTH).isoformat()
    '2026-03-01'
    """
    if pace is ChartPeriod.WEEK:
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if pace is ChartPeriod.MONTH else day


def next_period_start(start: date, pace: ChartPeriod) -> date:
    """Return the first day of the next period.

    >>> next_period_start(date(2026, 12, 1), ChartPeriod.MONTH).isoformat()
    '2027-01-01'
    """
    if pace is ChartPeriod.MONTH:
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(days=7 if pace is ChartPeriod.WEEK else 1)


def period_last_day(period: Period, pace: ChartPeriod) -> date:
    """Return the last day of a period."""
    return next_period_start(period.start, pace) - timedelta(days=1)
