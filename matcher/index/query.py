"""Join the features of a query with the buckets of an index."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled, compiled_as_called
from fingerprinter.features.model import Features
from matcher.index.elias_fano import (
    HEADER_BYTES,
    RECORD_BYTES,
    RESIDUE_MASK,
    bucket_form,
    concatenate_buckets,
    find_first,
    is_bit_set,
    load_word,
    read_bits,
    read_place,
)
from matcher.index.postings import HOT_MARK, I64, MAX_REPEATS, NUMBER_SHIFT, PLACE_MASK, RESIDUE_SHIFT, U64
from matcher.index.protocol import Hits

MAX_QUERY_FEATURES = 1 << 14  # features of one query, so that their indexes fit beside a place


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """k distinct features to look up, sorted by bucket and residue.

    buckets: i64[b], the buckets to fetch. starts: i64[b + 1] into residues: u64[k]. places: u32[p], initials of the
    query at the features, those of feature i from place_starts[i] to place_starts[i + 1].
    """

    buckets: I64
    starts: I64
    residues: U64
    places: NDArray[np.uint32]
    place_starts: I64


def split_queries(features: Features, bits: int, size: int) -> Iterator[Query]:
    """Split the features into queries of at most `size` distinct ones. size: at most `MAX_QUERY_FEATURES`."""
    assert size <= MAX_QUERY_FEATURES
    keys = features.values >> np.uint64(64 - bits) << np.uint64(16) | features.values & RESIDUE_MASK
    order = np.argsort(keys, kind="stable")
    keys, places = keys[order], features.positions.astype(np.uint32)[order]
    begin = 0
    while begin < len(keys):
        *columns, end = _group_places(keys, begin, size)
        buckets, starts, residues, place_starts = columns
        yield Query(buckets, starts, residues, places[begin:end], place_starts)
        begin = end


@compiled("Tuple((i8[::1], i8[::1], u8[::1], i8[::1], i8))(u8[::1], i8, i8)")
def _group_places(keys, begin, size):  # type: ignore[no-untyped-def]  # compiled
    """Return the columns of a query of at most `size` distinct keys, and the end of its keys.

    keys: u64[n], ascending, bucket << 16 | residue.
    """
    distinct = 0
    buckets = 0
    end = begin
    while end < len(keys):
        if end == begin or keys[end] != keys[end - 1]:
            if distinct == size:
                break
            distinct += 1
            buckets += end == begin or keys[end] >> np.uint64(16) != keys[end - 1] >> np.uint64(16)
        end += 1
    numbers, starts = np.empty(buckets, np.int64), np.empty(buckets + 1, np.int64)
    residues, place_starts = np.empty(distinct, np.uint64), np.empty(distinct + 1, np.int64)
    distinct = 0
    buckets = 0
    for place in range(begin, end):
        if place > begin and keys[place] == keys[place - 1]:
            continue
        bucket = np.int64(keys[place] >> np.uint64(16))
        if buckets == 0 or numbers[buckets - 1] != bucket:
            numbers[buckets], starts[buckets] = bucket, distinct
            buckets += 1
        residues[distinct], place_starts[distinct] = keys[place] & np.uint64(0xFFFF), place - begin
        distinct += 1
    starts[buckets], place_starts[distinct] = distinct, end - begin
    return numbers, starts, residues, place_starts, end


def find_hits(query: Query, strings: Sequence[bytes | None], hot: int, mean: int | None = None) -> Hits:
    """Join a query with its stored buckets.

    Features with more than `hot` postings are skipped, and those that `Index.look_up` skips for `mean`.
    """
    raw, starts = concatenate_buckets(strings)
    skip = np.zeros(len(query.residues), np.bool_)
    if mean is not None:
        skip = mask_common(_count_records(raw, starts, query.residues, query.starts), mean)
    records = _join_records(raw, starts, query.residues, query.starts, skip)
    if not _is_ascending(records):
        records = np.unique(records)  # appended records were last, and duplicates count once
    where, numbers, positions = _place_hits(records, skip, query.places, query.place_starts, hot)
    return Hits(where, numbers, positions, int(np.count_nonzero(skip)))


def mask_common(counts: I64, mean: int) -> NDArray[np.bool_]:
    """Mark the most frequent of k features, so that the others have `mean * k` postings at most: bool[k].

    counts: i64[k], postings of each. Equally frequent features are all marked or none.
    """
    order = np.sort(counts)
    cutoff = int(np.searchsorted(np.cumsum(order), mean * len(counts), side="right"))
    return counts >= order[cutoff] if cutoff < len(order) else np.zeros(len(counts), np.bool_)


def concatenate_hits(parts: Sequence[Hits]) -> Hits:
    """Concatenate the hits of several queries."""
    nothing = np.empty(0, np.uint32)
    return Hits(
        np.concatenate([nothing, *(part.query_positions for part in parts)]),
        np.concatenate([nothing, *(part.numbers for part in parts)]),
        np.concatenate([nothing, *(part.positions for part in parts)]),
        sum(part.skipped for part in parts),
    )


@compiled_as_called
def _count_records(raw, starts, residues, query_starts):  # type: ignore[no-untyped-def]  # compiled
    """Count the records of each feature of a query: i64[k]. Duplicates count twice."""
    counts = np.zeros(len(residues), np.int64)
    words = raw.view(np.uint64)
    for bucket in range(len(starts) - 1):
        begin, end = starts[bucket], starts[bucket + 1]
        first, last = query_starts[bucket], query_starts[bucket + 1]
        _, numbers, positions, low, high, total = bucket_form(raw, begin, end)
        lowest = (np.uint64(1) << np.uint64(low)) - np.uint64(1)
        for feature in range(first, last if total else first):
            residue = residues[feature]
            i, bit = find_first(raw, begin + HEADER_BYTES, np.int64(residue >> np.uint64(low)))
            row = (begin + HEADER_BYTES + high) * 8 + numbers + positions
            while is_bit_set(raw, begin + HEADER_BYTES, bit):
                counts[feature] += read_bits(words, row + i * (numbers + positions + low), low) == residue & lowest
                i, bit = i + 1, bit + 1
        for offset in range(begin + total, end, RECORD_BYTES):
            residue = load_word(raw, offset) >> RESIDUE_SHIFT & RESIDUE_MASK
            feature = first + np.searchsorted(residues[first:last], residue)
            if feature < last and residues[feature] == residue:
                counts[feature] += 1
    return counts


@compiled_as_called
def _count_upper_bound(raw, starts, residues, query_starts):  # type: ignore[no-untyped-def]  # compiled
    """Bound the records that `_join_records` returns. One allocation is faster than growth."""
    bound = 0
    for bucket in range(len(starts) - 1):
        begin, end = starts[bucket], starts[bucket + 1]
        first, last = query_starts[bucket], query_starts[bucket + 1]
        _, _, _, low, _, total = bucket_form(raw, begin, end)
        bound += (end - begin - total) // RECORD_BYTES
        for feature in range(first, last if total else first):
            _, bit = find_first(raw, begin + HEADER_BYTES, np.int64(residues[feature] >> np.uint64(low)))
            while is_bit_set(raw, begin + HEADER_BYTES, bit):
                bound, bit = bound + 1, bit + 1
    return bound


@compiled_as_called
def _join_records(raw, starts, residues, query_starts, skip):  # type: ignore[no-untyped-def]  # compiled
    """Return the records of a query, feature << 48 | place, without features to be skipped.

    Features with a mark are added to those that are skipped.
    """
    records = np.empty(_count_upper_bound(raw, starts, residues, query_starts), np.uint64)
    words = raw.view(np.uint64)
    count = 0
    for bucket in range(len(starts) - 1):
        begin, end = starts[bucket], starts[bucket + 1]
        first, last = query_starts[bucket], query_starts[bucket + 1]
        _, numbers, positions, low, high, total = bucket_form(raw, begin, end)
        compact_features = last - first if total else 0
        for feature in range(first, first + compact_features):
            if skip[feature]:
                continue
            residue = residues[feature]
            i, bit = find_first(raw, begin + HEADER_BYTES, np.int64(residue >> np.uint64(low)))
            while is_bit_set(raw, begin + HEADER_BYTES, bit):
                row = (begin + HEADER_BYTES + high) * 8 + i * (numbers + positions + low)
                i, bit = i + 1, bit + 1
                if read_bits(words, row + numbers + positions, low) != residue & (
                    (np.uint64(1) << np.uint64(low)) - np.uint64(1)
                ):
                    continue
                place = read_place(words, row, numbers, positions)
                if place & HOT_MARK:
                    skip[feature] = True
                    continue
                records[count] = np.uint64(feature) << RESIDUE_SHIFT | place
                count += 1
        for offset in range(begin + total, end, RECORD_BYTES):
            record = load_word(raw, offset)
            residue = record >> RESIDUE_SHIFT & RESIDUE_MASK
            feature = first + np.searchsorted(residues[first:last], residue)
            if feature == last or residues[feature] != residue or skip[feature]:
                continue
            if record & HOT_MARK:
                skip[feature] = True
                continue
            records[count] = np.uint64(feature) << RESIDUE_SHIFT | record & PLACE_MASK
            count += 1
    return records[:count]


@compiled("b1(u8[::1])")
def _is_ascending(records):  # type: ignore[no-untyped-def]  # compiled
    index = 1
    while index < len(records) and records[index - 1] < records[index]:
        index += 1
    return index >= len(records)


@compiled("UniTuple(u4[::1], 3)(u8[::1], b1[::1], u4[::1], i8[::1], i8)")
def _place_hits(records, skip, places, place_starts, hot):  # type: ignore[no-untyped-def]  # compiled
    """Expand ascending records to the first places of their features: place, document, position.

    Features with more than `hot` postings are added to those that are skipped.
    """
    counts = np.zeros(len(skip), np.int64)
    for record in records:
        counts[record >> RESIDUE_SHIFT] += 1
    copies = np.zeros(len(skip), np.int64)
    total = 0
    for feature in range(len(skip)):
        skip[feature] |= counts[feature] > hot
        if not skip[feature]:
            copies[feature] = min(place_starts[feature + 1] - place_starts[feature], MAX_REPEATS)
            total += copies[feature] * counts[feature]
    where, numbers, positions = np.empty(total, np.uint32), np.empty(total, np.uint32), np.empty(total, np.uint32)
    out = 0
    for record in records:
        feature = record >> RESIDUE_SHIFT
        for place in range(copies[feature]):
            where[out] = places[place_starts[feature] + place]
            numbers[out] = record >> NUMBER_SHIFT
            positions[out] = record & (HOT_MARK - np.uint64(1))
            out += 1
    return where, numbers, positions
