"""Store an inverted index in immutable, memory-mapped files.

A folder has `index.json` and segments, each a range of buckets. A segment begins with the offsets of its buckets
(little-endian u64[n + 1], in bytes behind these). The strings of the buckets follow, as in Redis after a bulk load.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from fingerprinter.features.model import Features
from matcher.index.postings import Buckets, Spool, batch_postings, bucket_bits, sort_into_buckets, tidy_buckets
from matcher.index.protocol import Hits, IndexStats
from matcher.index.query import MAX_QUERY_FEATURES, concatenate_hits, find_hits, split_queries
from matcher.lookup_limits import HOT_POSTINGS
from wenhen.kit.errors import Conflict, DiskFull, IndexNotReady

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
