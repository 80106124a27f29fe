"""The review list of addresses that searches found."""

from collections.abc import Collection, Mapping
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
    def of_case(self, number: int) -> list[Discovery]:
        """Those by which it was looked up whether a case's page is still listed."""

    def due(self, engine: str, now: datetime, *, limit: int) -> list[Discovery]:
        """Accepted addresses that this engine found and that may be looked up again, the longest due first."""

    def asked_since(self, moment: datetime) -> int:
        """How many were looked up again after a moment."""

    def note_leads_to(self, led: Mapping[str, Collection[str]]) -> None:
        """Those with one of the addresses, or that led to one, lead to its page now. led: addresses by their page."""

    def note_look(self, discovery: Discovery) -> None:
        """Keep what a look gave: `found_by`, `listing`, `asked_at` and `look_at`."""

    def put_off(self, ids: Collection[str], until: datetime) -> None:
        """Look these up no sooner."""

    def decide(
        self, ids: Collection[str], status: DiscoveryStatus, *, at: datetime, batch: str | None = None
    ) -> list[Discovery]:
        """Decide on addresses, also anew. NotFound names the first that is not there, and none is decided on then."""
