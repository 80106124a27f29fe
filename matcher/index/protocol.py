"""Define the protocol of the inverted index."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.model import Features


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """m places where a feature of the query stands in a document of the index.

    query_positions: u32[m], initial of the query. numbers: u32[m], document. positions: u32[m], initial of the
    document. skipped: features of the query that were skipped because too many documents share them.
    """

    query_positions: NDArray[np.uint32]
    numbers: NDArray[np.uint32]
    positions: NDArray[np.uint32]
    skipped: int = 0

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class IndexStats:
    """Size of an index.

    postings counts records, including duplicates that wait for a rewrite. bytes is the memory of values and keys.
    """

    generation: str
    postings: int
    buckets: int
    bytes: int
    hot: int  # features that a mark replaces
    wants_rebuild: bool = False  # it has outgrown its planned size


class Index(Protocol):
    """One inverted index.

    Documents are numbers below 2**32. Each position is below `fingerprinter.features.model.SEGMENT_LETTERS`. Every
    method but `exists`, `generation` and `create` raises `IndexNotReady` while the index is missing (never made, or its
    server was emptied), and each raises `Unavailable` when its server does not answer. Before the first `publish` an
    index accepts writes, but no look-ups.
    """

    def exists(self) -> bool:
        """Whether there is a published index."""

    def generation(self) -> str | None:
        """Return the id of the published index, which no other build has, or None without one."""

    def create(self, *, postings: int) -> None:
        """Start an empty index sized for about this many postings.

        It may stand beside an older one until `publish`. An unpublished one that was started before is abandoned.
        """

    def load(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Add documents in bulk to the index started by `create` only. Return the number of postings written.

        This is the fastest way for a rebuild. One call with all documents leaves the memory compact. Raises `Conflict`
        when somebody else started another index meanwhile.
        """

    def publish(self) -> None:
        """Switch look-ups to the index started by `create`, and drop the older one. Raises `Conflict` as `load`."""

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Add whole documents, in bulk where there are many. Return the number of postings written.

        While a new index stands beside the old one, both get them.
        """

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Remove the postings of these documents. Return their number, in the published index of two.

        Missing documents are ignored. A feature that was too frequent once may be skipped until the next rebuild.
        """

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        """Return the hits of these features.

        The first `MAX_REPEATS` places of a feature in a document or in the query count. mean: most mean postings of a
        feature that are read, so that a look-up costs the same in any index. The most frequent features are skipped.
        """

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        """Return the same for several texts. In a small index this costs little more than one look-up."""

    def rewrite(self) -> None:
        """Free the memory that appends and removals left, and drop duplicate postings."""

    def stats(self) -> IndexStats:
        """Return the size. Buckets and bytes may be estimated from a sample."""

    def drop(self) -> None:
        """Delete the index, and the one beside it."""
