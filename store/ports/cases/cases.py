"""The suspected piracy."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol, Unpack

from store.records import Case, CaseConditions, CaseKey, CaseOrder, CaseStatus, Lawsuit, Match, Work


class Cases(Protocol):
    """The suspected piracy."""

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        """Store a case under its id; number, status, decision, assignee and opening time of an existing one stay, but
        for a quiet one that has grown: it is a lead again.

        The second value is True when it is new.
        """

    def open_or_update_all(self, cases: Sequence[Case]) -> list[tuple[Case, bool]]:
        """The same for many, of which no two have one id, in the same order."""

    def mark_absent(self, ids: Collection[str], at: datetime, *, common: bool = False) -> None:
        """A later look no longer shows these copies; they stay, marked. common: their text is there, and is common."""

    def set_clusters(self, clusters: Mapping[str, str | None]) -> None:
        """Give the cases of these pages, by their ids, the cluster that each page stands in now."""

    def set_work_title(self, work_id: str, title: str) -> None:
        """Name the work so in all of its cases."""

    def move_to(self, work: Work, of_work: str) -> int:
        """Make cases of this work of those of another, of the pages that it has none of: number, status, history and
        match stay. How many. What was begun before, and broke off, is done to its end.
        """

    def set_licence(self, id: str, licence_id: str | None, credited: bool | None, at: datetime) -> None:
        """Mark a case as licensed, or as not licensed any more."""

    def set_match(self, case: Case, match: Match, found: Match | None, at: datetime) -> bool:
        """Put this match in place of the case's; False, and nothing is done, where a later look put another there."""

    def get(self, id: str) -> Case: ...  # NotFound; takes the id or the number as text
    def many(self, numbers: Collection[int], *, passages: int = 0) -> dict[int, Case]:
        """Those of these cases that are there, by number, each with so many of its first passages."""

    def find(
        self,
        *,
        order: CaseOrder = CaseOrder.NEWEST,
        skip: int = 0,
        limit: int = 50,
        **where: Unpack[CaseConditions],
    ) -> list[Case]:
        """The cases that fit; the order DEADLINE leaves out those without a deadline."""

    def passed(self, since: datetime, until: datetime) -> list[Case]:
        """Those whose deadline went by from then until then, of whatever status, without their passages."""

    def of_pages(self, page_ids: Collection[str]) -> dict[str, list[Case]]:
        """The cases of each of these pages that has any."""

    def pursued(self, page_ids: Collection[str]) -> set[str]:
        """Those of these pages that have a case which is pursued."""

    def keys(
        self, *, order: CaseOrder = CaseOrder.NEWEST, limit: int, **where: Unpack[CaseConditions]
    ) -> list[CaseKey]:
        """The first cases that fit, only what a list is folded by; answered by an index."""

    def count(self, **where: Unpack[CaseConditions]) -> int: ...
    def count_by_status(self, **where: Unpack[CaseConditions]) -> dict[CaseStatus, int]:
        """How many cases of each status fit; one without any is left out."""

    def decide_many(
        self,
        numbers: Sequence[int],
        status: CaseStatus,
        *,
        only_from: Collection[CaseStatus],
        by: str,
        reason: str | None,
        at: datetime,
        batch: str,
        notice_at: datetime | None = None,
        deadline: datetime | None = None,
        wakes_at: datetime | None = None,
        lawsuit: Lawsuit | None = None,
    ) -> list[int]:
        """Decide on those of these cases that stand at one of the statuses; the numbers of those that moved.

        batch: a name, never used twice, by which `undo` finds them. notice_at, deadline, lawsuit: None leaves them as
        they are. wakes_at: of quiet cases, when `wake` makes them leads again.
        """

    def ask(self, numbers: Collection[int], name: str, *, at: datetime) -> None:
        """Note whose second opinion is asked for; the next decision forgets it."""

    def wake(self, at: datetime) -> int:
        """Make leads of the quiet cases whose time has come; how many."""

    def of_batch(self, batch: str) -> list[int]:
        """The numbers of the cases whose last decision this batch was."""

    def undo(self, batch: str, *, within: Collection[CaseStatus], by: str | None = None, at: datetime) -> list[int]:
        """Put back what stood before this batch, but for cases that were decided since; the numbers of the others.

        within: statuses among which a case has to go back. by: whose decisions; None: anybody's.
        """

    def assign(self, numbers: Collection[int], assignee: str | None, *, at: datetime) -> None: ...
    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]: ...
