"""The suspected piracy."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Protocol

from store.records import Case, CaseOrder, CaseStatus, Level


class Cases(Protocol):
    """The suspected piracy."""

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        """Store a case under its id; number, status, decision and opening time of an existing one stay.

        The second value is True when it is new.
        """

    def mark_absent(self, ids: Collection[str], at: datetime) -> None:
        """A later look no longer shows these copies; they stay, marked."""

    def set_cluster(self, page_ids: Collection[str], cluster_id: str | None) -> None:
        """Give the cases of these pages the cluster that the pages stand in now."""

    def get(self, id: str) -> Case: ...  # NotFound; takes the id or the number as text
    def find(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
        order: CaseOrder = CaseOrder.NEWEST,
        skip: int = 0,
        limit: int = 50,
    ) -> list[Case]: ...
    def count(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> int: ...
    def count_by_status(
        self,
        *,
        host: str | None = None,
        work_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> dict[CaseStatus, int]:
        """How many cases of each status fit; one without any is left out."""

    def decide(self, id: str, status: CaseStatus, *, by: str, reason: str | None, at: datetime) -> Case: ...  # NotFound
    def undo(self, id: str, *, decided_at: datetime, at: datetime) -> Case | None:
        """Put back what stood before the decision of `decided_at`; None when that is not the last."""

    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]: ...
    def top(self, field: str, limit: int) -> list[tuple[str, int]]:
        """The most frequent values of `page_host` or `work_title` among cases that are not dismissed."""
