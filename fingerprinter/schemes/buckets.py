"""The port of the key-value store behind look-ups by key: a key, and the numbers that were put under it."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Protocol


class KeyBuckets(Protocol):
    """Keys of any bytes; under each a set of numbers below 2**64. Adding one twice changes nothing."""

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        """Put each number under its key. Raises Unavailable when a server behind it does not answer."""

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        """For each key its numbers, ascending; none for an unknown key."""


class MemoryBuckets:
    """In this process's memory."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, array[int]] = {}

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        for key, number in entries:
            self._numbers.setdefault(key, array("Q")).append(number)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        return [sorted(set(self._numbers.get(key, ()))) for key in keys]


class Under:
    """A part of other buckets: every key under a prefix, so that many indexes share one store."""

    def __init__(self, buckets: KeyBuckets, prefix: bytes) -> None:
        self._buckets = buckets
        self._prefix = prefix + b"\0"

    def add(self, entries: Iterable[tuple[bytes, int]]) -> None:
        self._buckets.add((self._prefix + key, number) for key, number in entries)

    def get(self, keys: Sequence[bytes]) -> list[list[int]]:
        return self._buckets.get([self._prefix + key for key in keys])
