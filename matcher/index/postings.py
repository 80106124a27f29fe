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

import numba
import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.features.features import Features
from fingerprinter.features.packing import SEGMENT_LETTERS
from matcher.index.compact import (
    HEADER,
    RECORD_BYTES,
    RESIDUES,
    first_of,
    form,
    is_set,
    joined,
    load,
    packed,
    place_of,
    read_bits,
    unpacked,
)
from matcher.index.port import REPEATS, Hits
from store.errors import BadInput

BUCKET_POSTINGS = 256  # at most on average, when the index is as large as foreseen

MOST_FEATURES = 1 << 14  # of one query, so that their indexes fit beside a place

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_RESIDUE, _NUMBER = np.uint64(48), np.uint64(16)  # where they begin in a record; the position begins at 0
_MARK = np.uint64(0x8000)
_PLACE, _LARGEST_NUMBER = np.uint64((1 << 48) - 1), np.uint64((1 << 32) - 1)


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
    return Postings(np.concatenate([part.values for part in parts]), owners << _NUMBER | positions)


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
    records = (postings.values & RESIDUES) << _RESIDUE | postings.places
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


@numba.njit(cache=True, nogil=True)
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
    names = gone.records >> _NUMBER
    order = np.lexsort((names, np.repeat(np.arange(len(gone.numbers)), gone.sizes())))
    records, starts = _without(buckets.records, buckets.starts, names[order], gone.starts)
    left = Buckets(buckets.numbers, records, starts)
    return left, buckets.sizes() - left.sizes()


@numba.njit(cache=True, nogil=True)
def _without(records, starts, names, name_starts):  # type: ignore[no-untyped-def]  # compiled
    kept = np.zeros(len(starts), np.int64)
    left = np.empty(len(records), np.uint64)
    out = 0
    for bucket in range(len(starts) - 1):
        some = names[name_starts[bucket] : name_starts[bucket + 1]]
        for record in records[starts[bucket] : starts[bucket + 1]]:
            name = record >> _NUMBER
            at = np.searchsorted(some, name)
            if record & _MARK or at == len(some) or some[at] != name:
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


@numba.njit(cache=True, nogil=True)
def _tidy(records, starts, hot, repeats):  # type: ignore[no-untyped-def]  # compiled
    kept = np.zeros(len(starts), np.int64)
    marks = np.zeros(len(starts) - 1, np.int64)
    out = 0
    for bucket in range(len(starts) - 1):
        segment = records[starts[bucket] : starts[bucket + 1]]
        segment.sort()
        i = 0
        while i < len(segment):
            residue = segment[i] >> _RESIDUE
            first, dropped, marked, owner, places = out, np.uint64(0), False, np.uint64(0), 0
            while i < len(segment) and segment[i] >> _RESIDUE == residue:
                record = segment[i]
                if record & _MARK:
                    marked = True
                    marks[bucket] -= 1
                    dropped += (record >> _NUMBER) & _LARGEST_NUMBER
                elif out == first or records[out - 1] != record:
                    places = places + 1 if out > first and record >> _NUMBER == owner else 1
                    owner = record >> _NUMBER
                    if places <= repeats:
                        records[out] = record  # never ahead of what is still to be read
                        out += 1
                i += 1
            if marked or out - first > hot:
                total = min(dropped + np.uint64(out - first), _LARGEST_NUMBER)
                records[first] = residue << _RESIDUE | total << _NUMBER | _MARK
                out = first + 1
                marks[bucket] += 1
        kept[bucket + 1] = out
    return records[:out].copy(), kept, marks


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """k different features to look up, sorted by bucket and residue.

    buckets: i64[b], those to be fetched; starts: i64[b + 1] into residues: u64[k]. places: u32[p], letters of the query
    at which the features stand, those of feature i from place_starts[i] to place_starts[i + 1].
    """

    buckets: I64
    starts: I64
    residues: U64
    places: NDArray[np.uint32]
    place_starts: I64


def queries(features: Features, bits: int, size: int) -> Iterator[Query]:
    """Cut the features into queries of at most `size` different ones; size: at most `MOST_FEATURES`."""
    assert size <= MOST_FEATURES
    keys = features.values >> np.uint64(64 - bits) << np.uint64(16) | features.values & RESIDUES
    order = np.argsort(keys, kind="stable")
    keys, places = keys[order], features.positions[order].astype(np.uint32)
    firsts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    ends = np.append(firsts[1:], len(keys))
    for cut in range(0, len(firsts), size):
        part = slice(cut, cut + size)
        begin, end = int(firsts[part][0]), int(ends[part][-1])
        different = keys[firsts[part]]
        numbers = (different >> np.uint64(16)).astype(np.int64)
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        yield Query(
            numbers[starts],
            np.append(starts, len(different)),
            different & np.uint64(0xFFFF),
            places[begin:end],
            np.append(firsts[part], end) - begin,
        )


def hits(query: Query, strings: Sequence[bytes | None], hot: int, mean: int | None = None) -> Hits:
    """Join a query with its buckets as they are stored; features with more than `hot` postings are skipped, and those
    that `Index.look_up` leaves out for `mean`.
    """
    raw, starts = joined(strings)
    skip = np.zeros(len(query.residues), np.bool_)
    if mean is not None:
        skip = too_common(_count(raw, starts, query.residues, query.starts), mean)
    found = _join(raw, starts, query.residues, query.starts, skip)
    if not _ascending(found):
        found = np.unique(found)  # what was appended stood behind, and what was written twice counts once
    where, numbers, positions = _placed(found, skip, query.places, query.place_starts, hot)
    return Hits(where, numbers, positions, int(np.count_nonzero(skip)))


def too_common(counts: I64, mean: int) -> NDArray[np.bool_]:
    """bool[k]: which of k features are left out so that the others have `mean * k` postings at most: the commonest.

    counts: i64[k], postings of each. Of equally common ones all stay or none does.
    """
    order = np.sort(counts)
    some = int(np.searchsorted(np.cumsum(order), mean * len(counts), side="right"))
    return counts >= order[some] if some < len(order) else np.zeros(len(counts), np.bool_)


def together(parts: Sequence[Hits]) -> Hits:
    """Hits of several queries as one."""
    nothing = np.empty(0, np.uint32)
    return Hits(
        np.concatenate([nothing, *(part.query_positions for part in parts)]),
        np.concatenate([nothing, *(part.numbers for part in parts)]),
        np.concatenate([nothing, *(part.positions for part in parts)]),
        sum(part.skipped for part in parts),
    )


@numba.njit(cache=True, nogil=True)
def _count(raw, starts, residues, query_starts):  # type: ignore[no-untyped-def]  # compiled
    """i64[k]: how many records each feature of a query has; what was written twice counts twice."""
    counts = np.zeros(len(residues), np.int64)
    for bucket in range(len(starts) - 1):
        begin, end = starts[bucket], starts[bucket + 1]
        first, last = query_starts[bucket], query_starts[bucket + 1]
        _, numbers, positions, low, high, total = form(raw, begin, end)
        lowest = (np.uint64(1) << np.uint64(low)) - np.uint64(1)
        for feature in range(first, last if total else first):
            residue = residues[feature]
            i, bit = first_of(raw, begin + HEADER, np.int64(residue >> np.uint64(low)))
            row = (begin + HEADER + high) * 8 + numbers + positions
            while is_set(raw, begin + HEADER, bit):
                counts[feature] += read_bits(raw, row + i * (numbers + positions + low), low) == residue & lowest
                i, bit = i + 1, bit + 1
        for at in range(begin + total, end, RECORD_BYTES):
            residue = load(raw, at) >> _RESIDUE & RESIDUES
            feature = first + np.searchsorted(residues[first:last], residue)
            if feature < last and residues[feature] == residue:
                counts[feature] += 1
    return counts


@numba.njit(cache=True, nogil=True)
def _join(raw, starts, residues, query_starts, skip):  # type: ignore[no-untyped-def]  # compiled
    """The records that a query asked for, index of the feature << 48 | place, but for features that are to be skipped;
    so are those then that bear a mark.
    """
    found = np.empty(256, np.uint64)
    count = 0
    for bucket in range(len(starts) - 1):
        begin, end = starts[bucket], starts[bucket + 1]
        first, last = query_starts[bucket], query_starts[bucket + 1]
        _, numbers, positions, low, high, total = form(raw, begin, end)
        most = last - first if total else 0
        for feature in range(first, first + most):
            if skip[feature]:
                continue
            residue = residues[feature]
            i, bit = first_of(raw, begin + HEADER, np.int64(residue >> np.uint64(low)))
            while is_set(raw, begin + HEADER, bit):
                row = (begin + HEADER + high) * 8 + i * (numbers + positions + low)
                i, bit = i + 1, bit + 1
                if read_bits(raw, row + numbers + positions, low) != residue & (
                    (np.uint64(1) << np.uint64(low)) - np.uint64(1)
                ):
                    continue
                place = place_of(raw, row, numbers, positions)
                if place & _MARK:
                    skip[feature] = True
                    continue
                if count == len(found):
                    found = _larger(found)
                found[count] = np.uint64(feature) << _RESIDUE | place
                count += 1
        for at in range(begin + total, end, RECORD_BYTES):
            record = load(raw, at)
            residue = record >> _RESIDUE & RESIDUES
            feature = first + np.searchsorted(residues[first:last], residue)
            if feature == last or residues[feature] != residue or skip[feature]:
                continue
            if record & _MARK:
                skip[feature] = True
                continue
            if count == len(found):
                found = _larger(found)
            found[count] = np.uint64(feature) << _RESIDUE | record & _PLACE
            count += 1
    return found[:count]


@compiled("b1(u8[::1])")
def _ascending(found):  # type: ignore[no-untyped-def]  # compiled
    at = 1
    while at < len(found) and found[at - 1] < found[at]:
        at += 1
    return at >= len(found)


@compiled("UniTuple(u4[::1], 3)(u8[::1], b1[::1], u4[::1], i8[::1], i8)")
def _placed(found, skip, places, place_starts, hot):  # type: ignore[no-untyped-def]  # compiled
    """What was found, ascending, at each of the first places of its feature in the query: place, document, position.

    Features with more than `hot` postings come to those that are skipped.
    """
    counts = np.zeros(len(skip), np.int64)
    for one in found:
        counts[one >> _RESIDUE] += 1
    copies = np.zeros(len(skip), np.int64)
    total = 0
    for feature in range(len(skip)):
        skip[feature] |= counts[feature] > hot
        if not skip[feature]:
            copies[feature] = min(place_starts[feature + 1] - place_starts[feature], REPEATS)
            total += copies[feature] * counts[feature]
    where, numbers, positions = np.empty(total, np.uint32), np.empty(total, np.uint32), np.empty(total, np.uint32)
    out = 0
    for one in found:
        feature = one >> _RESIDUE
        for nth in range(copies[feature]):
            where[out] = places[place_starts[feature] + nth]
            numbers[out] = one >> _NUMBER
            positions[out] = one & (_MARK - np.uint64(1))
            out += 1
    return where, numbers, positions


@numba.njit(cache=True, nogil=True)
def _larger(found):  # type: ignore[no-untyped-def]  # compiled
    larger = np.empty(2 * len(found), np.uint64)
    larger[: len(found)] = found
    return larger
