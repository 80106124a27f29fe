"""Reports that are made in the background and kept."""

from datetime import datetime
from typing import Protocol

from store.records import KeptReport


class KeptReports(Protocol):
    """Kept reports by id."""

    def put(self, report: KeptReport) -> None: ...
    def get(self, id: str) -> KeptReport: ...  # NotFound
    def newest(self, limit: int = 50) -> list[KeptReport]: ...
    def remove(self, id: str) -> None: ...
    def of_file(self, digest: str) -> int: ...  # how many have this file
    def made_before(self, at: datetime) -> list[KeptReport]: ...
    def has_due(self, now: datetime) -> bool: ...
    def claim(self, now: datetime, until: datetime) -> KeptReport | None:
        """One that is due, with its try counted; nobody else gets it before `until`."""

    def progress(self, id: str, *, done: int, of: int, until: datetime) -> bool:
        """Note how far it is, and go on holding it; False: it is there no more."""
