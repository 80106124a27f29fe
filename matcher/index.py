"""The port of the inverted index: feature -> (document, position)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features import Features

SEGMENT_LETTERS = 32_768  # a document of the index is at most this long, so that its positions fit 16 bits


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """m places where a feature of the query stands in a document of the index.

    query_positions: u32[m], letter of the query. numbers: u32[m], document. positions: u32[m], letter of the document.
    skipped: features of the query that were left out because too many documents share them.
    """

    query_positions: NDArray[np.uint32]
    numbers: NDArray[np.uint32]
    positions: NDArray[np.uint32]
    skipped: int = 0

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Size of an index. postings counts records, removed ones that wait for a rewrite among them; bytes is the memory of their values and keys."""

    generation: str
    postings: int
    buckets: int
    bytes: int
    hot: int  # features whose postings are capped


class Index(Protocol):
    """One inverted index. Documents are numbers below 2**32; each position is below `SEGMENT_LETTERS`.

    Every method but `exists` and `create` raises `IndexNotReady` while the index is missing (never made, or its server was emptied).
    """

    def exists(self) -> bool: ...
    def create(self, *, postings: int) -> None:
        """Start an empty index sized for about this many postings; it may stand beside an older one until `publish`."""

    def publish(self) -> None:
        """Let look-ups see the index started by `create`, and drop the older one."""

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Add documents, in bulk where there are many; the number of postings written. While a new index stands beside the old one, both get them."""

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Take these documents' postings out; those that are not there do not matter."""

    def look_up(self, features: Features) -> Hits: ...
    def rewrite(self) -> None:
        """Give back the memory that appending and removing left over, and drop postings written twice."""

    def stats(self) -> IndexStats: ...
    def drop(self) -> None: ...
