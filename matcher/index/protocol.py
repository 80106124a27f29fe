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
    """Size of an index.

    postings counts records, those written twice that wait for a rewrite among them; bytes is the memory of their values
    and keys.
    """

    generation: str
    postings: int
    buckets: int
    bytes: int
    hot: int  # features whose postings are capped
    wants_rebuild: bool = False  # it has outgrown the size that it was created for


class Index(Protocol):
    """One inverted index. Documents are numbers below 2**32; each position is below
    `fingerprinter.features.model.SEGMENT_LETTERS`.

    Every method but `exists` and `create` raises `IndexNotReady` while the index is missing (never made, or its server
    was emptied), and `Unavailable` when its server does not answer. Before the first `publish` an index can be written
    to and not looked up in.
    """

    def exists(self) -> bool:
        """Whether there is a published index."""

    def create(self, *, postings: int) -> None:
        """Start an empty index sized for about this many postings; it may stand beside an older one until `publish`.

        One that was started before and never published is given up.
        """

    def load(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Add documents in bulk to the index started by `create`, and to no other; the number of postings written.

        The fastest way in, for a rebuild: one call with all documents leaves the memory compact. Raises `Conflict` when
        somebody else started another one meanwhile.
        """

    def publish(self) -> None:
        """Let look-ups see the index started by `create`, and drop the older one. Raises `Conflict` as `load` does."""

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Add whole documents, in bulk where there are many; the number of postings written.

        While a new index stands beside the old one, both get them.
        """

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:
        """Take these documents' postings out; how many there were (in the published one of two).

        Those that are not there do not matter. A feature that was too frequent once may stay left out until the next
        rebuild.
        """

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        """Where these features stand.

        Of a feature that a document (or the query) repeats, the first `MAX_REPEATS` places count. mean: most postings
        of a feature that are read on average, so that a look-up costs the same however large the index is; the
        commonest features are left out.
        """

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        """The same for several texts, at the price of little more than one where the index is small."""

    def rewrite(self) -> None:
        """Give back the memory that appending and removing left over, and drop postings written twice."""

    def stats(self) -> IndexStats:
        """Its size; buckets and bytes may be estimated from a sample."""

    def drop(self) -> None:
        """Take the index away, and the one beside it."""
