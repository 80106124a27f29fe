"""Sort, merge and tidy postings in buckets.

A posting takes 8 bytes as appended, and about 5 in the compact form of `matcher.index.elias_fano`. The top bits of a
feature's hash choose its bucket. Its low 11 bits are the residue in the record. Features that agree in both are one to
the index, which a feature of a page meets by chance about once in ten look-ups. A record is a little-endian u64:
residue (16 bits), document number (32), position (16). Sorted records of a bucket are therefore ordered by feature,
then by document. Positions need 15 bits. The 16th bit marks a feature that too many documents share. Such a record
holds the number of its postings, which are dropped.

The postings of a bulk load are sorted into parts, on disk where they are many. Each bucket is then written once and
whole, however many documents there are. Appending to an existing bucket costs as much as writing it, and leaves up to
half of its memory unused.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, pairwise
from tempfile import SpooledTemporaryFile, gettempdir
from types import TracebackType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled_as_called
from fingerprinter.features.model import SEGMENT_LETTERS, Features
from matcher.index.elias_fano import RECORD_BYTES, RESIDUE_MASK, pack_buckets, unpack_buckets
from wenhen.kit.errors import BadInput, DiskFull

I64 = NDArray[np.int64]


def occurrence_rank(kinds: I64) -> I64:
    """Count for each element the equal elements before it.

    >>> occurrence_rank(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(kinds, kind="stable")
    ranked = kinds[order]
    group_starts = np.flatnonzero(np.diff(ranked, prepend=ranked[:1] - 1))
    ranks = np.arange(len(kinds)) - np.repeat(group_starts, np.diff(np.append(group_starts, len(kinds))))
    result = np.empty(len(kinds), np.int64)
    result[order] = ranks
    return result


# Features with too many postings, and an index that has outgrown its buckets.


MAX_REPEATS: Final = 8  # first places of a feature that count in one document or query
# Postings of a feature above which it is no evidence, and is left out. `matcher.retrieval.ranking` weighs common
# features below it.
HOT_POSTINGS: Final = 1_000
# The same of a rare word. A look-up reads few postings, and leaves out nearly all more frequent words.
HOT_WORD_POSTINGS: Final = 256
MAX_BUCKET_POSTINGS: Final = 300  # mean postings of a bucket above which look-ups get slow
TARGET_BUCKET_POSTINGS = 256  # most mean postings at the planned size of the index


def has_outgrown(postings: int, buckets: int) -> bool:
    """Whether the index has outgrown its number of buckets, and needs a rebuild."""
    return postings > MAX_BUCKET_POSTINGS * buckets


U64 = NDArray[np.uint64]

RESIDUE_SHIFT, NUMBER_SHIFT = (
    np.uint64(48),
    np.uint64(16),
)  # their offsets in a record, in bits; the position begins at 0
HOT_MARK = np.uint64(0x8000)
PLACE_MASK, _MAX_DOCUMENT_NUMBER = np.uint64((1 << 48) - 1), np.uint64((1 << 32) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """n postings of whole documents. values: u64[n] hashes. places: u64[n], document number << 16 | position."""

    values: U64
    places: U64

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Concatenated records of b buckets. numbers: i64[b]. records: u64[n]. starts: i64[b + 1]."""

    numbers: I64
    records: U64
    starts: I64

    @classmethod
    def parse(cls, numbers: I64, strings: Sequence[bytes | None]) -> "Buckets":
        """Parse stored byte strings, None where a bucket is missing."""
        return cls(numbers, *unpack_buckets(strings))

    def compact(self) -> list[bytes]:
        """Return the byte string of each sorted bucket, as it is stored in an empty place."""
        return pack_buckets(self.records, self.starts)

    def strings(self) -> list[bytes]:
        """Return the records of each bucket as they are appended to a stored bucket."""
        raw = np.ascontiguousarray(self.records, "<u8").tobytes()
        return [raw[start:end] for start, end in pairwise((self.starts * RECORD_BYTES).tolist())]

    def sizes(self) -> I64:
        return np.diff(self.starts)

    def some(self, which: I64) -> "Buckets":
        """Select the buckets at these places."""
        sizes = self.sizes()[which]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        records = self.records[np.repeat(self.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])]
        return Buckets(self.numbers[which], records, starts)


def bucket_bits(postings: int) -> int:
    """Return the bits of a bucket number, so that each bucket holds 128 to 256 of so many postings.

    There are at least ten, for growth.
    """
    wanted = max(1, -(-postings // TARGET_BUCKET_POSTINGS))
    return min(28, max(10, (wanted - 1).bit_length()))


def batch_postings(documents: Iterable[tuple[int, Features]], size: int) -> Iterator[Postings]:
    """Join documents into batches of about `size` postings.

    Raises BadInput for a number or position that does not fit.
    """
    numbers: list[int] = []
    parts: list[Features] = []
    postings = 0
    for number, features in chain(documents, ((-1, None),)):
        if features is not None:
            numbers.append(number)
            parts.append(features)
            postings += len(features)
        if parts and (features is None or postings >= size):
            yield _concatenate_features(numbers, parts)
            numbers, parts, postings = [], [], 0


def _concatenate_features(numbers: list[int], parts: list[Features]) -> Postings:
    if min(numbers) < 0 or max(numbers) >= 1 << 32:
        raise BadInput("index.document_number", least=min(numbers), most=max(numbers))
    positions = np.concatenate([part.positions for part in parts]).astype(np.uint64)
    if len(positions) and positions.max() >= SEGMENT_LETTERS:
        raise BadInput("index.position", at=positions.max(), most=SEGMENT_LETTERS)
    owners = np.repeat(np.array(numbers, np.uint64), [len(part) for part in parts])
    return Postings(np.concatenate([part.values for part in parts]), owners << NUMBER_SHIFT | positions)


def limit_repeats(features: Features) -> Features:
    """Return the features that an index stores of a document: of each, the first `MAX_REPEATS` places."""
    order = np.argsort(features.values, kind="stable")
    values = features.values[order]
    excess = np.zeros(len(values), np.bool_)
    excess[MAX_REPEATS:] = values[MAX_REPEATS:] == values[:-MAX_REPEATS]
    keep = np.sort(order[~excess])
    return Features(features.values[keep], features.positions[keep])


def sort_into_buckets(postings: Postings, bits: int) -> Buckets:
    """Sort postings into the buckets that get any. Inside a bucket the records have no order."""
    numbers = (postings.values >> np.uint64(64 - bits)).astype(np.int64)
    records = (postings.values & RESIDUE_MASK) << RESIDUE_SHIFT | postings.places
    if not len(numbers):
        return Buckets(numbers, records, np.zeros(1, np.int64))
    lowest, highest = int(numbers.min()), int(numbers.max())
    if highest - lowest < len(numbers):  # a bulk load
        counts = np.bincount(numbers - lowest)
        records = _scatter_records(numbers - lowest, records, np.cumsum(counts) - counts)
        present = np.flatnonzero(counts)
        return Buckets(present + lowest, records, np.append(0, np.cumsum(counts[present])))
    order = np.argsort(numbers)
    numbers = numbers[order]
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return Buckets(numbers[firsts], records[order], np.append(firsts, len(records)).astype(np.int64))


@compiled_as_called
def _scatter_records(places, records, next_free):  # type: ignore[no-untyped-def]  # compiled
    """Return the records sorted by their places. Those of each place begin at `next_free`."""
    result = np.empty_like(records)
    for i in range(len(records)):
        result[next_free[places[i]]] = records[i]
        next_free[places[i]] += 1
    return result


def remove_documents(buckets: Buckets, removed: Buckets) -> tuple[Buckets, I64]:
    """Sort each bucket, and remove the postings of these features in these documents.

    removed: of the same buckets. The second value is the number of removed postings of each bucket.
    """
    names = removed.records >> NUMBER_SHIFT
    order = np.lexsort((names, np.repeat(np.arange(len(removed.numbers)), removed.sizes())))
    records, starts = _remove_records(buckets.records, buckets.starts, names[order], removed.starts)
    left = Buckets(buckets.numbers, records, starts)
    return left, buckets.sizes() - left.sizes()


@compiled_as_called
def _remove_records(records, starts, names, name_starts):  # type: ignore[no-untyped-def]  # compiled
    """Return the sorted records without these names, and the offset of each bucket."""
    kept_starts = np.zeros(len(starts), np.int64)
    left = np.empty(len(records), np.uint64)
    out = 0
    for bucket in range(len(starts) - 1):
        bucket_names = names[name_starts[bucket] : name_starts[bucket + 1]]
        for record in records[starts[bucket] : starts[bucket + 1]]:
            name = record >> NUMBER_SHIFT
            index = np.searchsorted(bucket_names, name)
            if record & HOT_MARK or index == len(bucket_names) or bucket_names[index] != name:
                left[out] = record
                out += 1
        kept_starts[bucket + 1] = out
        left[kept_starts[bucket] : out].sort()  # appended records were last
    return left[:out].copy(), kept_starts


def tidy_buckets(buckets: Buckets, hot: int) -> tuple[Buckets, I64]:
    """Sort each bucket, drop duplicates and excess repeats, and mark features of too many documents.

    Of a feature in a document, the places after the first `MAX_REPEATS` are dropped. A mark replaces the postings of a
    feature with more than `hot` of them. The second value is the number of new marks in each bucket.
    """
    records, starts, marks = _tidy_records(buckets.records.copy(), buckets.starts, hot, MAX_REPEATS)
    return Buckets(buckets.numbers, records, starts), marks


@compiled_as_called
def _tidy_records(records, starts, hot, repeats):  # type: ignore[no-untyped-def]  # compiled
    """Return the tidy records, the offset of each bucket, and its number of new marks."""
    kept_starts = np.zeros(len(starts), np.int64)
    marks = np.zeros(len(starts) - 1, np.int64)
    out = 0
    for bucket in range(len(starts) - 1):
        segment = records[starts[bucket] : starts[bucket + 1]]
        segment.sort()
        i = 0
        while i < len(segment):
            residue = segment[i] >> RESIDUE_SHIFT
            first, dropped, marked, owner, places = out, np.uint64(0), False, np.uint64(0), 0
            while i < len(segment) and segment[i] >> RESIDUE_SHIFT == residue:
                record = segment[i]
                if record & HOT_MARK:
                    marked = True
                    marks[bucket] -= 1
                    dropped += (record >> NUMBER_SHIFT) & _MAX_DOCUMENT_NUMBER
                elif out == first or records[out - 1] != record:
                    places = places + 1 if out > first and record >> NUMBER_SHIFT == owner else 1
                    owner = record >> NUMBER_SHIFT
                    if places <= repeats:
                        records[out] = record  # never ahead of the record that is read
                        out += 1
                i += 1
            if marked or out - first > hot:
                total = min(dropped + np.uint64(out - first), _MAX_DOCUMENT_NUMBER)
                records[first] = residue << RESIDUE_SHIFT | total << NUMBER_SHIFT | HOT_MARK
                out = first + 1
                marks[bucket] += 1
        kept_starts[bucket + 1] = out
    return records[:out].copy(), kept_starts, marks


PART_POSTINGS = 1 << 22  # approximate postings of a part at the planned size of the index
MAX_OPEN_PARTS = 256  # open files
MAX_PIECE_POSTINGS = 1 << 24  # most postings that are returned at a time, where an index is far larger
MAX_MEMORY_BYTES = 1 << 28  # bytes of all parts before they go to files
ROW_BYTES = 16


class Spool:
    """Takes postings in any order and returns them part by part, in the order of their buckets.

    bits: number of bits of a bucket number. A context manager. Its files have no names and vanish with it.
    """

    def __init__(self, bits: int) -> None:
        parts_bits = min(MAX_OPEN_PARTS, max(1, (TARGET_BUCKET_POSTINGS << bits) // PART_POSTINGS)).bit_length() - 1
        self._shift = np.uint64(64 - parts_bits)
        self._files = ExitStack()
        share = MAX_MEMORY_BYTES >> parts_bits
        self._parts = [
            self._files.enter_context(SpooledTemporaryFile(share))  # noqa: SIM115  the context closes it
            for _ in range(1 << parts_bits)
        ]

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.close()

    @property
    def count(self) -> int:
        """Number of parts, each with equally many buckets."""
        return len(self._parts)

    def put(self, postings: Postings) -> None:
        """Store postings. Raises DiskFull."""
        part = np.zeros(len(postings), np.uint16) if len(self._parts) == 1 else postings.values >> self._shift
        order = np.argsort(part.astype(np.uint16), kind="stable")  # by radix
        rows = np.stack((postings.values, postings.places), axis=1)[order]
        ends = np.cumsum(np.bincount(part.astype(np.int64), minlength=len(self._parts)))
        try:
            for file, part_rows in zip(self._parts, np.split(rows, ends[:-1]), strict=True):
                file.write(part_rows.tobytes())
        except OSError as error:
            raise DiskFull("index.spool_full", folder=gettempdir(), error=error) from error

    def parts(self) -> Iterator[Postings]:
        """Yield all postings. Those of a bucket come together, unless they exceed the memory."""
        for file in self._parts:
            file.seek(0)
            while raw := file.read(MAX_PIECE_POSTINGS * ROW_BYTES):
                yield _parse_postings(raw)
            file.close()

    def whole_parts(self) -> Iterator[Postings]:
        """Yield all postings, each part whole, however large, with empty parts."""
        for file in self._parts:
            file.seek(0)
            yield _parse_postings(file.read())
            file.close()


def _parse_postings(raw: bytes) -> Postings:
    rows = np.frombuffer(raw, np.uint64).reshape(-1, 2)
    return Postings(rows[:, 0].copy(), rows[:, 1].copy())
