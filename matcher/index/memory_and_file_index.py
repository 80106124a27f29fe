"""Keep an inverted index in memory, or in immutable, memory-mapped files."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.model import STORED_HASH_BITS, Features
from matcher.index.postings import (
    HOT_POSTINGS,
    MAX_REPEATS,
    Buckets,
    Postings,
    Spool,
    batch_postings,
    bucket_bits,
    occurrence_rank,
    sort_into_buckets,
    tidy_buckets,
)
from matcher.index.protocol import Hits, IndexStats
from matcher.index.query import MAX_QUERY_FEATURES, concatenate_hits, find_hits, mask_common, split_queries
from wenhen.kit.errors import Conflict, DiskFull, IndexNotReady


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

    def generation(self) -> str | None:
        return None if self._live is None else str(self._live.generation)

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


# The index in files. A folder has `index.json` and segments, each a range of buckets. A segment begins with the offsets
# of its buckets (little-endian u64[n + 1], in bytes behind these). The strings of the buckets follow, as in Redis after
# a bulk load.


FORMAT_VERSION: Final = 1
CONTENTS_FILE: Final = "index.json"  # written last, so the index is complete where it exists
BATCH_POSTINGS: Final = 1 << 20  # postings that are sorted into parts at once

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentsContents:
    """The contents of `index.json`.

    bits: of a bucket number. hot: as of the index in Redis. marks: number of marked features.
    """

    form: int
    bits: int
    hot: int
    postings: int
    marks: int
    segments: tuple[str, ...]  # files, each with equally many buckets

    @property
    def shift(self) -> int:
        """Low bits of a bucket number that are its place in its segment."""
        return self.bits - (len(self.segments) - 1).bit_length()


def write_segments(
    folder: Path, documents: Iterable[tuple[int, Features]], *, postings: int, hot: int = HOT_POSTINGS
) -> IndexStats:
    """Write an index of these documents into a folder, sized for about this many postings. Raises DiskFull."""
    bits = bucket_bits(postings)
    folder.mkdir(parents=True, exist_ok=True)
    with Spool(bits) as spool:
        for batch in batch_postings(documents, BATCH_POSTINGS):
            spool.put(batch)
        try:
            contents = _write_segments(folder, spool, bits, hot)
            (folder / CONTENTS_FILE).write_text(json.dumps(asdict(contents)), encoding="utf-8")
        except OSError as error:
            raise DiskFull("index.segments_unwritten", folder=folder, error=error) from error
    return SegmentIndex(folder).stats()


def _write_segments(folder: Path, spool: Spool, bits: int, hot: int) -> SegmentsContents:
    names: list[str] = []
    postings = all_marks = 0
    for number, part in enumerate(spool.whole_parts()):
        buckets, marks = tidy_buckets(sort_into_buckets(part, bits), hot)
        names.append(f"{number:04}.segment")
        _write_segment(folder / names[-1], buckets, number, (1 << bits) // spool.count)
        postings, all_marks = postings + len(buckets.records), all_marks + int(marks.sum())
    return SegmentsContents(FORMAT_VERSION, bits, hot, postings, all_marks, tuple(names))


def _write_segment(path: Path, buckets: Buckets, number: int, size: int) -> None:
    strings = buckets.compact()
    starts = np.zeros(size + 1, "<u8")
    starts[buckets.numbers - number * size + 1] = list(map(len, strings))
    np.cumsum(starts, out=starts)
    with path.open("wb") as file:
        file.write(starts.tobytes())
        file.writelines(strings)


class SegmentIndex:
    """The port `Index` over such a folder, safe between threads and processes.

    It is immutable, so writes raise `Conflict`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._contents = _read_contents(folder)
        self._mask = (1 << self._contents.shift) - 1
        self._segments = [_Segment(folder / name, self._mask + 1) for name in self._contents.segments]

    def exists(self) -> bool:
        return True

    def generation(self) -> str | None:
        return str(self._folder)

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        queries = split_queries(features, self._contents.bits, MAX_QUERY_FEATURES)
        return concatenate_hits(
            [find_hits(query, self.strings(query.buckets), self._contents.hot, mean) for query in queries]
        )

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        return [self.look_up(features, mean=mean) for features in many]

    def strings(self, numbers: Numbers) -> list[bytes]:
        """Return the stored strings of these buckets, empty for an empty bucket."""
        shift, mask = self._contents.shift, self._mask
        return [self._segments[number >> shift].string(number & mask) for number in numbers.tolist()]

    def stats(self) -> IndexStats:
        return IndexStats(
            generation=str(self._folder),
            postings=self._contents.postings,
            buckets=sum(segment.count_filled() for segment in self._segments),
            bytes=sum((self._folder / name).stat().st_size for name in self._contents.segments),
            hot=self._contents.marks,
        )

    def create(self, *, postings: int) -> None:  # noqa: ARG002  required by the port
        self._refuse()

    def load(self, documents: Iterable[tuple[int, Features]]) -> int:  # noqa: ARG002
        self._refuse()

    def publish(self) -> None:
        self._refuse()

    def add(self, documents: Iterable[tuple[int, Features]]) -> int:  # noqa: ARG002
        self._refuse()

    def remove(self, documents: Iterable[tuple[int, Features]]) -> int:  # noqa: ARG002
        self._refuse()

    def rewrite(self) -> None:
        self._refuse()

    def drop(self) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise Conflict("index.segments_immutable", folder=self._folder)


class _Segment:
    """One mapped file: the offsets of its buckets, u64[n + 1], and the buckets."""

    def __init__(self, path: Path, buckets: int) -> None:
        with path.open("rb") as file:
            self._raw = mmap(file.fileno(), 0, access=ACCESS_READ)
        self._starts = np.frombuffer(self._raw, "<u8", buckets + 1)
        self._data_start = self._starts.nbytes

    def string(self, number: int) -> bytes:
        begin, end = self._starts[number : number + 2].tolist()
        return self._raw[self._data_start + begin : self._data_start + end]

    def count_filled(self) -> int:
        """Count the buckets with content."""
        return int(np.count_nonzero(np.diff(self._starts)))


def _read_contents(folder: Path) -> SegmentsContents:
    try:
        contents = json.loads((folder / CONTENTS_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IndexNotReady("index.segments_missing", folder=folder) from None
    if contents["form"] != FORMAT_VERSION:
        raise IndexNotReady("index.segments_form", folder=folder)
    return SegmentsContents(**contents | {"segments": tuple(contents["segments"])})
