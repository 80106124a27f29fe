"""The websites that are watched."""

from datetime import datetime
from typing import Protocol

from store.records import Site


class Sites(Protocol):
    """The websites that are watched."""

    def put(self, site: Site) -> None: ...
    def get(self, id: str) -> Site: ...  # NotFound
    def all(self) -> list[Site]: ...
    def remove(self, id: str) -> None: ...  # NotFound
    def claim_due(self, now: datetime) -> list[Site]:
        """The sites whose crawl is due; each one's due time is moved on by its interval in the same write."""

    def set_last_run(self, id: str, run_id: str) -> None: ...
