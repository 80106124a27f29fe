"""Postings, kept in buckets: 8 bytes each as they come in, about 5 in the compact form of `matcher.index.compact`.

The top bits of a feature's hash choose its bucket, its low 11 bits are the residue that stands in the record; two
features that agree in both are one to the index, which a feature of a page meets by chance about once in ten
look-ups. A record is a little-endian u64: residue (16 bits), document number (32), position (16), so that sorted
records of a bucket stand together by feature, then by document. Positions need 15 bits: the 16th marks a feature that
too many documents share; such a record holds the number of its postings, which themselves are gone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled_as_called
from fingerprinter.features.feature_arrays import Features
from fingerprinter.features.segments import SEGMENT_LETTERS
from matcher.index.compact import (
    RECORD_BYTES,
    RESIDUES,
    packed,
    unpacked,
)
from matcher.index.feature_limits import REPEATS
from store.errors import BadInput

BUCKET_POSTINGS = 256  # at most on average, when the index is as large as foreseen

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

RESIDUE, NUMBER = np.uint64(48), np.uint64(16)  # where they begin in a record; the position begins at 0
MARK = np.uint64(0x8000)
PLACE, _LARGEST_NUMBER = np.uint64((1 << 48) - 1), np.uint64((1 << 32) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """n postings of whole documents. values: u64[n] hashes; places: u64[n], document number << 16 | position."""

    values: U64
    places: U64

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Records of b buckets, one after the other. numbers: i64[b]; records: u64[n]; starts: i64[b + 1]."""

    numbers: I64
    records: U64
    starts: I64

    @classmethod
    def parse(cls, numbers: I64, strings: Sequence[bytes | None]) -> "Buckets":
        """Of stored byte strings, None where a bucket is not there."""
        return cls(numbers, *unpacked(strings))

    def compact(self) -> list[bytes]:
        """The byte string of each bucket, which must be sorted, as it is stored where nothing is yet."""
        return packed(self.records, self.starts)

    def strings(self) -> list[bytes]:
        """The records of each bucket as they are appended to what is stored."""
        raw = np.ascontiguousarray(self.records, "<u8").tobytes()
        return [raw[start:end] for start, end in pairwise((self.starts * RECORD_BYTES).tolist())]

    def sizes(self) -> I64:
        return np.diff(self.starts)

    def some(self, which: I64) -> "Buckets":
        """Those that stand at these places."""
        sizes = self.sizes()[which]
        starts = np.concatenate(([0], np.cumsum(sizes)))
        records = self.records[np.repeat(self.starts[which] - starts[:-1], sizes) + np.arange(starts[-1])]
        return Buckets(self.numbers[which], records, starts)


def bucket_bits(postings: int) -> int:
    """Bits that number the buckets, so that each holds 128 to 256 of so many postings; ten at least, for growth."""
    wanted = max(1, -(-postings // BUCKET_POSTINGS))
    return min(28, max(10, (wanted - 1).bit_length()))


def batches(documents: Iterable[tuple[int, Features]], size: int) -> Iterator[Postings]:
    """Join documents into batches of about `size` postings.

    Raises BadInput for a number or position that does not fit.
    """
    numbers: list[int] = []
    parts: list[Features] = []
    held = 0
    for number, features in chain(documents, ((-1, None),)):
        if features is not None:
            numbers.append(number)
            parts.append(features)
            held += len(features)
        if parts and (features is None or held >= size):
            yield _joined(numbers, parts)
            numbers, parts, held = [], [], 0


def _joined(numbers: list[int], parts: list[Features]) -> Postings:
    if min(numbers) < 0 or max(numbers) >= 1 << 32:
        raise BadInput("index.document_number", least=min(numbers), most=max(numbers))
    positions = np.concatenate([part.positions for part in parts]).astype(np.uint64)
    if len(positions) and positions.max() >= SEGMENT_LETTERS:
        raise BadInput("index.position", at=positions.max(), most=SEGMENT_LETTERS)
    owners = np.repeat(np.array(numbers, np.uint64), [len(part) for part in parts])
    return Postings(np.concatenate([part.values for part in parts]), owners << NUMBER | positions)


def kept(features: Features) -> Features:
    """Of a document's features those that an index keeps: of one that it repeats, the first `REPEATS` places."""
    order = np.argsort(features.values, kind="stable")
    values = features.values[order]
    late = np.zeros(len(values), np.bool_)
    late[REPEATS:] = values[REPEATS:] == values[:-REPEATS]
    keep = np.sort(order[~late])
    return Features(features.values[keep], features.positions[keep])


def bucketed(postings: Postings, bits: int) -> Buckets:
    """Sort postings into the buckets that get any of them; inside a bucket the records are in no order."""
    numbers = (postings.values >> np.uint64(64 - bits)).astype(np.int64)
    records = (postings.values & RESIDUES) << RESIDUE | postings.places
    if not len(numbers):
        return Buckets(numbers, records, np.zeros(1, np.int64))
    least, most = int(numbers.min()), int(numbers.max())
    if most - least < len(numbers):  # a bulk load
        counts = np.bincount(numbers - least)
        records = _scattered(numbers - least, records, np.cumsum(counts) - counts)
        present = np.flatnonzero(counts)
        return Buckets(present + least, records, np.append(0, np.cumsum(counts[present])))
    order = np.argsort(numbers)
    numbers = numbers[order]
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return Buckets(numbers[firsts], records[order], np.append(firsts, len(records)).astype(np.int64))


@compiled_as_called
def _scattered(places, records, next_free):  # type: ignore[no-untyped-def]  # compiled
    """The records sorted by their places, where those of each place begin at `next_free`."""
    result = np.empty_like(records)
    for i in range(len(records)):
        result[next_free[places[i]]] = records[i]
        next_free[places[i]] += 1
    return result


def without(buckets: Buckets, gone: Buckets) -> tuple[Buckets, I64]:
    """Sort each bucket, without the postings of these features in these documents; gone: of the same buckets.

    The second value tells how many each bucket had.
    """
    names = gone.records >> NUMBER
    order = np.lexsort((names, np.repeat(np.arange(len(gone.numbers)), gone.sizes())))
    records, starts = _without(buckets.records, buckets.starts, names[order], gone.starts)
    left = Buckets(buckets.numbers, records, starts)
    return left, buckets.sizes() - left.sizes()


@compiled_as_called
def _without(records, starts, names, name_starts):  # type: ignore[no-untyped-def]  # compiled
    kept = np.zeros(len(starts), np.int64)
    left = np.empty(len(records), np.uint64)
    out = 0
    for bucket in range(len(starts) - 1):
        some = names[name_starts[bucket] : name_starts[bucket + 1]]
        for record in records[starts[bucket] : starts[bucket + 1]]:
            name = record >> NUMBER
            at = np.searchsorted(some, name)
            if record & MARK or at == len(some) or some[at] != name:
                left[out] = record
                out += 1
        kept[bucket + 1] = out
        left[kept[bucket] : out].sort()  # what was appended stood behind
    return left[:out].copy(), kept


def tidied(buckets: Buckets, hot: int) -> tuple[Buckets, I64]:
    """Sort each bucket, drop what is there twice or too often, and mark what too many documents share.

    Dropped are the places of a feature in a document after the first `REPEATS`; the postings of a feature with more
    than `hot` of them give way to a mark. The second value tells for each bucket how many marks it has more than
    before.
    """
    records, starts, marks = _tidy(buckets.records.copy(), buckets.starts, hot, REPEATS)
    return Buckets(buckets.numbers, records, starts), marks


@compiled_as_called
def _tidy(records, starts, hot, repeats):  # type: ignore[no-untyped-def]  # compiled
    kept = np.zeros(len(starts), np.int64)
    marks = np.zeros(len(starts) - 1, np.int64)
    out = 0
    for bucket in range(len(starts) - 1):
        segment = records[starts[bucket] : starts[bucket + 1]]
        segment.sort()
        i = 0
        while i < len(segment):
            residue = segment[i] >> RESIDUE
            first, dropped, marked, owner, places = out, np.uint64(0), False, np.uint64(0), 0
            while i < len(segment) and segment[i] >> RESIDUE == residue:
                record = segment[i]
                if record & MARK:
                    marked = True
                    marks[bucket] -= 1
                    dropped += (record >> NUMBER) & _LARGEST_NUMBER
                elif out == first or records[out - 1] != record:
                    places = places + 1 if out > first and record >> NUMBER == owner else 1
                    owner = record >> NUMBER
                    if places <= repeats:
                        records[out] = record  # never ahead of what is still to be read
                        out += 1
                i += 1
            if marked or out - first > hot:
                total = min(dropped + np.uint64(out - first), _LARGEST_NUMBER)
                records[first] = residue << RESIDUE | total << NUMBER | MARK
                out = first + 1
                marks[bucket] += 1
        kept[bucket + 1] = out
    return records[:out].copy(), kept, marks
