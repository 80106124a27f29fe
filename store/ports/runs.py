"""The record of crawls, re-matches and rebuilds."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from store.records import Run, RunKind


class Runs(Protocol):
    """The record of crawls, re-matches and rebuilds."""

    def start(self, kind: RunKind, subject: str | None, at: datetime) -> Run: ...
    def beat(self, id: str, at: datetime, counts: Mapping[str, int]) -> None: ...
    def end(self, id: str, at: datetime, counts: Mapping[str, int], problem: str | None = None) -> None: ...
    def get(self, id: str) -> Run: ...  # NotFound
    def recent(self, *, kind: RunKind | None = None, limit: int = 20) -> list[Run]: ...
    def end_lost(self, older_than: datetime) -> int:
        """End runs whose heartbeat stopped before this time, with the reason; the number of them."""
