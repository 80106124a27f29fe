"""Store an inverted index in immutable, memory-mapped files.

A folder has `index.json` and segments, each a stretch of the buckets: where each bucket begins (little-endian
u64[n + 1], in bytes behind these), then the strings of the buckets as they would stand in Redis after a bulk load.
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
from matcher.index.external_sort import Spool
from matcher.index.limits import HOT_POSTINGS
from matcher.index.postings import Buckets, batch_postings, bucket_bits, sort_into_buckets, tidy_buckets
from matcher.index.protocol import Hits, IndexStats
from matcher.index.query import MAX_QUERY_FEATURES, concatenate_hits, find_hits, split_queries
from wenhen.kit.errors import Conflict, DiskFull, IndexNotReady

FORMAT_VERSION: Final = 1
CONTENTS_FILE: Final = "index.json"  # written last: where it stands, the index is whole
BATCH_POSTINGS: Final = 1 << 20  # postings that are sorted into parts at a time

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SegmentsContents:
    """What `index.json` says. bits number the buckets; hot: as of the index in Redis; marks: features that are."""

    form: int
    bits: int
    hot: int
    postings: int
    marks: int
    segments: tuple[str, ...]  # files, each of as many buckets as the others

    @property
    def shift(self) -> int:
        """Bits of a bucket's number that tell its place in its segment."""
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
            layout = _write_segments(folder, spool, bits, hot)
            (folder / CONTENTS_FILE).write_text(json.dumps(asdict(layout)), encoding="utf-8")
        except OSError as error:
            raise DiskFull("index.segments_unwritten", folder=folder, error=error) from error
    return SegmentIndex(folder).stats()


def _write_segments(folder: Path, spool: Spool, bits: int, hot: int) -> SegmentsContents:
    names: list[str] = []
    postings = marked = 0
    for place, part in enumerate(spool.whole_parts()):
        buckets, marks = tidy_buckets(sort_into_buckets(part, bits), hot)
        names.append(f"{place:04}.segment")
        _write_segment(folder / names[-1], buckets, place, (1 << bits) // spool.count)
        postings, marked = postings + len(buckets.records), marked + int(marks.sum())
    return SegmentsContents(FORMAT_VERSION, bits, hot, postings, marked, tuple(names))


def _write_segment(path: Path, buckets: Buckets, place: int, size: int) -> None:
    strings = buckets.compact()
    starts = np.zeros(size + 1, "<u8")
    starts[buckets.numbers - place * size + 1] = list(map(len, strings))
    np.cumsum(starts, out=starts)
    with path.open("wb") as file:
        file.write(starts.tobytes())
        file.writelines(strings)


class SegmentIndex:
    """The port `Index` over such a folder, safe between threads and processes. It is never changed: writing raises
    `Conflict`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._layout = _read_contents(folder)
        self._mask = (1 << self._layout.shift) - 1
        self._segments = [_Segment(folder / name, self._mask + 1) for name in self._layout.segments]

    def exists(self) -> bool:
        return True

    def look_up(self, features: Features, *, mean: int | None = None) -> Hits:
        asked = split_queries(features, self._layout.bits, MAX_QUERY_FEATURES)
        return concatenate_hits(
            [find_hits(query, self.strings(query.buckets), self._layout.hot, mean) for query in asked]
        )

    def look_up_all(self, many: Sequence[Features], *, mean: int | None = None) -> list[Hits]:
        return [self.look_up(features, mean=mean) for features in many]

    def strings(self, numbers: Numbers) -> list[bytes]:
        """What is stored of these buckets; nothing of one that holds nothing."""
        shift, mask = self._layout.shift, self._mask
        return [self._segments[number >> shift].string(number & mask) for number in numbers.tolist()]

    def stats(self) -> IndexStats:
        return IndexStats(
            generation=str(self._folder),
            postings=self._layout.postings,
            buckets=sum(segment.filled() for segment in self._segments),
            bytes=sum((self._folder / name).stat().st_size for name in self._layout.segments),
            hot=self._layout.marks,
        )

    def create(self, *, postings: int) -> None:  # noqa: ARG002  as the port has it
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
    """One file, mapped: u64[n + 1], where each bucket begins behind these, and the buckets."""

    def __init__(self, path: Path, buckets: int) -> None:
        with path.open("rb") as file:
            self._raw = mmap(file.fileno(), 0, access=ACCESS_READ)
        self._starts = np.frombuffer(self._raw, "<u8", buckets + 1)
        self._behind = self._starts.nbytes

    def string(self, place: int) -> bytes:
        begin, end = self._starts[place : place + 2].tolist()
        return self._raw[self._behind + begin : self._behind + end]

    def filled(self) -> int:
        """Buckets that hold anything."""
        return int(np.count_nonzero(np.diff(self._starts)))


def _read_contents(folder: Path) -> SegmentsContents:
    try:
        said = json.loads((folder / CONTENTS_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise IndexNotReady("index.segments_missing", folder=folder) from None
    if said["form"] != FORMAT_VERSION:
        raise IndexNotReady("index.segments_form", folder=folder)
    return SegmentsContents(**said | {"segments": tuple(said["segments"])})
