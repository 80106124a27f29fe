"""How often one host is asked by all crawlers together, whatever site and run they work for."""

from collections.abc import Sequence
from typing import Protocol

LEASE = 15.0  # seconds after which what a silent crawler was fetching counts no longer


class Pace(Protocol):
    """Shared by all crawlers. Every method is atomic, and may raise `store.errors.Unavailable`."""

    def turn(
        self, host: str, entering: Sequence[str], *, left: Sequence[str], held: Sequence[str], delay: float, most: int
    ) -> list[float | None]:
        """For each request (a name of its own) that wants to ask the host: the seconds after which it may, each at
        least `delay` after the one before; None for those beyond `most` at a time. What left makes room, and what is
        held keeps its place.
        """

    def rest(self, host: str, seconds: float) -> None:
        """Nobody asks the host for this time."""
