"""The captures of all pages, for what concerns them all: evidence that is read back, and what may be dropped."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from store.records import Capture

Cited = Callable[[Collection[str]], Collection[str]]  # of pages, by their ids: the bodies that somebody cites


class Captures(Protocol):
    """Every capture of every page."""

    def each(self) -> Iterator[Capture]:
        """All of them, one after the other."""

    def drop_superseded(self, before: datetime, cited: Cited) -> Sequence[str]:
        """Drop the captures from before this moment that are no page's newest and whose body nobody cites.

        Returns the digests of bodies that no capture has any more.
        """

    def archives(self) -> set[str]:
        """The names of the WARC files that captures point into."""
