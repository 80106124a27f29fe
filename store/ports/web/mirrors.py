"""Which hosts carry the same site."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from store.records import Mirror


class Mirrors(Protocol):
    """Hosts that carry the pages of another, each with the one that it is counted as."""

    def join(self, host: str, main: str, *, pages: int, at: datetime) -> None:
        """Count a host, and all that were counted as it, as the main host, or as what that is counted as."""

    def part(self, host: str) -> bool:
        """Count a host as itself again; False when it was."""

    def mains(self) -> Mapping[str, str]:
        """For each host that is a mirror, the host that it is counted as."""

    def all(self) -> list[Mirror]:
        """Sorted by the main host."""
