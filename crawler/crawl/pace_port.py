"""How often one host is asked by all crawlers together, whatever site and run they work for."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

LEASE = 15.0  # seconds after which what a silent crawler was fetching counts no longer
SOON = 0.1  # seconds: no moment further off is given away before there is room


class Admitted(NamedTuple):
    """A request may ask the host after so many seconds; one that `follows`, once one of the same crawler's left, in the
    place of that.
    """

    seconds: float
    follows: bool = False


class Pace(Protocol):
    """Shared by all crawlers. Every method is atomic, and may raise `store.errors.Unavailable`."""

    def turn(
        self,
        host: str,
        entering: Sequence[str],
        *,
        left: Sequence[str],
        held: Sequence[str],
        delay: float,
        most: int,
        following: int = 0,
    ) -> list[Admitted | None]:
        """For each request (a name of its own) that wants to ask the host: when it may, each at least `delay` after the
        one before; None for those beyond `most` at a time. What left makes room, and what is held keeps its place.

        Of those beyond, so many `following` ones are given their moment already, if it comes soon and no other
        crawler's waits.
        """

    def rest(self, host: str, seconds: float) -> None:
        """Nobody asks the host for this time."""
