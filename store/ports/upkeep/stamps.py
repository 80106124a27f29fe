"""Time stamps, wanted and given."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from store.records import Stamp


class Stamps(Protocol):
    """Time stamps by what they are of."""

    def want(self, stamp: Stamp) -> None: ...  # one that is there stays
    def many(self, ids: Collection[str]) -> Mapping[str, Stamp]: ...
    def of(self, kind: str) -> list[Stamp]:
        """Those whose id begins with ``kind:``, the oldest first."""

    def has_due(self, now: datetime) -> bool: ...
    def claim(self, now: datetime, until: datetime) -> Stamp | None:
        """One that is due, with its try counted; nobody else gets it before `until`."""

    def put(self, stamp: Stamp) -> None: ...
