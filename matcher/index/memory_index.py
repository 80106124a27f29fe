"""Keep an inverted index in memory, for comparisons, benchmarks and tests."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.model import STORED_HASH_BITS, Features
from matcher.index.postings import Postings, batch_postings, occurrence_rank
from matcher.index.protocol import Hits, IndexStats
from matcher.index.query import mask_common
from matcher.lookup_limits import HOT_POSTINGS, MAX_REPEATS
from wenhen.kit.errors import IndexNotReady


@dataclass(slots=True)
class _PostingTable:
    """Postings sorted by feature, document and position, and postings that wait to be sorted in."""

    generation: int
    sorted: Postings = field(default_factory=lambda: Postings(np.empty(0, np.uint64), np.empty(0, np.uint64)))
    waiting: list[Postings] = field(default_factory=list)

    def merge_waiting(self) -> Postings:
        """Sort the waiting postings in, and return all."""
        if self.waiting:
            values = np.concatenate([part.values for part in (self.sorted, *self.waiting)])
            places = np.concatenate([part.places for part in (self.sorted, *self.waiting)])
            order = np.lexsort((places, values))
            self.sorted = _drop_excess_repeats(Postings(values[order], places[order]))
            self.waiting = []
        return self.sorted

    def remove(self, removed_postings: Postings) -> int:
        """Remove the documents' postings of these features. Return their number."""
        postings = self.merge_waiting()
        wanted = np.stack((removed_postings.values, removed_postings.places >> np.uint64(16)), axis=1)
        present = np.stack((postings.values, postings.places >> np.uint64(16)), axis=1)
        pairs, pair_numbers = np.unique(np.concatenate((wanted, present)), axis=0, return_inverse=True)
        is_wanted = np.zeros(len(pairs), np.bool_)
        is_wanted[pair_numbers[: len(wanted)]] = True
        keep = ~is_wanted[pair_numbers[len(wanted) :]]
        self.sorted = Postings(postings.values[keep], postings.places[keep])
        return int(np.count_nonzero(~keep))


def _drop_excess_repeats(postings: Postings) -> Postings:
    """Return each posting once, and the first `MAX_REPEATS` of a feature in a document."""
    values, places = postings.values, postings.places
    is_new = np.ones(len(values), np.bool_)
    is_new[1:] = (values[1:] != values[:-1]) | (places[1:] != places[:-1])
    values, places = values[is_new], places[is_new]
    excess = np.zeros(len(values), np.bool_)
    owners = places >> np.uint64(16)
    excess[MAX_REPEATS:] = (values[MAX_REPEATS:] == values[:-MAX_REPEATS]) & (
        owners[MAX_REPEATS:] == owners[:-MAX_REPEATS]
    )
    return Postings(values[~excess], places[~excess])


def _batch_documents(documents: Iterable[tuple[int, Features]]) -> Iterator[Postings]:
    return (Postings(part.values & STORED_HASH_BITS, part.places) for part in batch_postings(documents, 1 << 20))


class MemoryIndex:
    """The port `Index` over the memory of one process, safe between threads. It compares the stored bits of a hash."""

    def __init__(self, *, hot: int = HOT_POSTINGS) -> None:
        self._hot = hot
        self._lock = threading.RLock()
        self._generations = 0
        self._live: _PostingTable | None = None
        self._next: _PostingTable | None = None

    def exists(self) -> bool:
        return self._live is not None

    def create(self, *, postings: int) -> None:  # noqa: ARG002  arrays need no size beforehand
        with self._lock:
            self._generations += 1
            self._next = _PostingTable(self._generations)

    def publish(self) -> None:
        with self._lock:
            self._live, self._next = self._require_next(), None

    def load(self, documents: Iterable[tuple[int, Features]]) -> int:
        return self._put(documents, lambda: (self._require_next(),))

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:
        return self._put(documents, self._tables)

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:
        removed = 0
        with self._lock:
            tables = self._tables()
            for batch in _batch_documents(documents):
                for table in tables:
                    count = table.remove(batch)
                    removed += count if table is tables[0] else 0
        return removed

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        with self._lock:
            postings = self._require_live().merge_waiting()
        asked_values: NDArray[np.uint64] = features.values & STORED_HASH_BITS
        values, inverse = np.unique(asked_values, return_inverse=True)
        first = np.searchsorted(postings.values, values)
        counts = np.searchsorted(postings.values, values, side="right") - first
        skip = counts > self._hot
        counts[skip] = 0
        if mean is not None:
            skip |= mask_common(counts, mean)
            counts[skip] = 0
        queried = np.flatnonzero(occurrence_rank(inverse) < MAX_REPEATS)
        counts_asked = counts[inverse[queried]]
        starts = np.repeat(np.cumsum(counts_asked) - counts_asked, counts_asked)
        rows = np.repeat(first[inverse[queried]], counts_asked) + np.arange(len(starts)) - starts
        places = postings.places[rows]
        return Hits(
            np.repeat(features.positions[queried].astype(np.uint32), counts_asked),
            (places >> np.uint64(16)).astype(np.uint32),
            (places & np.uint64(0xFFFF)).astype(np.uint32),
            int(np.count_nonzero(skip)),
        )

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        return [self.look_up(features, mean=mean) for features in many]

    def rewrite(self) -> None:
        with self._lock:
            for table in self._tables():
                table.merge_waiting()

    def stats(self) -> IndexStats:
        with self._lock:
            table = self._require_live()
            postings = table.merge_waiting()
        values, counts = np.unique(postings.values, return_counts=True)
        return IndexStats(
            generation=str(table.generation),
            postings=len(postings),
            buckets=len(values),
            bytes=postings.values.nbytes + postings.places.nbytes,
            hot=int(np.count_nonzero(counts > self._hot)),
        )

    def drop(self) -> None:
        with self._lock:
            self._tables()
            self._live = self._next = None

    def _put(self, documents: Iterable[tuple[int, Features]], tables: Callable[[], tuple[_PostingTable, ...]]) -> int:
        tables()  # raises IndexNotReady even without documents
        written = 0
        for batch in _batch_documents(documents):
            with self._lock:
                for table in tables():
                    table.waiting.append(batch)
            written += len(batch)
        return written

    def _tables(self) -> tuple[_PostingTable, ...]:
        tables = tuple(table for table in (self._live, self._next) if table is not None)
        if not tables:
            raise IndexNotReady("index.index_never")
        return tables

    def _require_live(self) -> _PostingTable:
        if self._live is None:
            raise IndexNotReady("index.index_unpublished")
        return self._live

    def _require_next(self) -> _PostingTable:
        if self._next is None:
            raise IndexNotReady("index.index_unbegun")
        return self._next
