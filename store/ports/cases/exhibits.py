"""Exhibits: cases as files that prove them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from store.records import Case, CaseStatus, Exhibit, Receipt


class Exhibits(Protocol):
    """Exhibits by id."""

    def add(self, exhibit: Exhibit) -> None: ...  # Conflict: it is there already
    def get(self, id: str) -> Exhibit: ...  # NotFound
    def of_case(self, number: int, limit: int = 50) -> list[Exhibit]:
        """The newest first."""

    def newest_states(self, case_ids: Collection[str]) -> Mapping[str, str]:
        """What the newest exhibit of each case shows; nothing of a case that has none."""

    def changed_cases(self, since: datetime, statuses: Collection[CaseStatus], limit: int) -> list[Case]:
        """Cases of these statuses that were written at this time or later, without their passages, the earliest
        first.
        """

    def sealed(self) -> Iterator[Exhibit]:
        """Those that keep masked headers."""

    def reseal(self, id: str, before: str, after: str) -> bool:
        """Put the masked headers sealed anew in place of those before, and touch nothing else; False where they are no
        longer those.
        """

    def receipts_of(self, numbers: Collection[int]) -> Mapping[int, Sequence[Receipt]]:
        """What was given for the exhibits of these cases, the earliest first; nothing of a case that has none."""

    def files(self) -> Iterator[tuple[str, str]]:
        """Ids of those that are made, each with the digest of its file."""

    def has_due(self, now: datetime) -> bool: ...
    def claim(self, now: datetime, until: datetime) -> Exhibit | None:
        """One that is due, with its try counted; nobody else gets it before `until`."""

    def put(self, exhibit: Exhibit) -> None: ...
    def add_receipt(self, id: str, receipt: Receipt) -> Exhibit:
        """Add one, whoever adds another meanwhile. NotFound."""
