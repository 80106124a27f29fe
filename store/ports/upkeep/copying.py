"""All collections as they are stored, for a backup: read as of one moment, written back, replayed."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol

Moment = tuple[int, int]  # of the server's own log: seconds since 1970, and the number within the second


class Snapshot(Protocol):
    """Every collection as of one moment."""

    moment: Moment | None  # None: the server keeps no log, so nothing can be replayed from here on

    def read(self, collection: str) -> Iterator[bytes]:
        """Its documents as BSON, in the order of their ids."""


class Copying(Protocol):
    """The collections behind the store, whatever they hold."""

    def collections(self) -> list[str]:
        """Those that are the same as of one moment, and small enough to be read within it."""

    def contents(self) -> list[str]:
        """Those whose documents never change; read after the moment, they hold what it names."""

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """The store as of now. Where the server keeps no log, writes wait until the block ends."""

    def read(self, collection: str) -> Iterator[bytes]:
        """Its documents as they are now, as BSON, in the order of their ids."""

    def write(self, collection: str, documents: Iterable[bytes]) -> int:
        """Put documents of a backup in; how many."""

    def is_empty(self) -> bool:
        """Whether nothing is stored but what the first start makes."""

    def clear(self) -> None:
        """Take out what the first start makes."""

    def log(self, after: Moment) -> Iterator[tuple[Moment, bytes]]:
        """What was written after a moment, in its order, each entry with its own moment.

        Raises `NotFound` where the server keeps no log, or no longer from there on.
        """

    def replay(self, entries: Iterable[bytes], until: datetime | None) -> int:
        """Write what a log holds once more, up to this time if one is given; how many entries."""
