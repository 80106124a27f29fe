"""The review list of addresses that searches found."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from store.records import Discovery, DiscoveryStatus


class Discoveries(Protocol):
    """Addresses by work, found by searches."""

    def add(self, discovery: Discovery) -> bool:
        """Keep an address; of one that is there only the sentences grow. True when it is new."""

    def find(
        self, *, work_id: str | None = None, status: DiscoveryStatus | None = None, skip: int = 0, limit: int = 50
    ) -> list[Discovery]:
        """Those that fit, the last found first."""

    def of_batch(self, batch: str) -> list[Discovery]: ...
    def decide(
        self, ids: Collection[str], status: DiscoveryStatus, *, at: datetime, batch: str | None = None
    ) -> list[Discovery]:
        """Decide on addresses, also anew. NotFound names the first that is not there, and none is decided on then."""
