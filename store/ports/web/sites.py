"""The websites that are watched."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from store.records import Site


class Sites(Protocol):
    """The websites that are watched."""

    def add(self, site: Site) -> None: ...  # Conflict where the id is taken
    def put(self, site: Site) -> None: ...
    def get(self, id: str) -> Site: ...  # NotFound
    def all(self) -> list[Site]: ...
    def remove(self, id: str) -> None: ...  # NotFound
    def change(self, id: str, values: Mapping[str, object]) -> Site:
        """Change these fields alone: what others change meanwhile stays. Raises `NotFound`."""

    def due(self, now: datetime) -> list[Site]:
        """The sites whose crawl is due, but for those that are paused."""

    def move_due(self, id: str, due: datetime, to: datetime) -> bool:
        """Move a due time on; False where it is no longer the one that the caller saw."""

    def set_last_run(self, id: str, run_id: str) -> None: ...
