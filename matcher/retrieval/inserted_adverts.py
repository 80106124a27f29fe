"""Find text that recurs on a page between copied text: advertisements, watermarks, site names.

This furniture carries no information between two pieces of a passage, however long it is. Where it stands between any
two clauses, the copy is searched without it.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS, DIGIT_0
from fingerprinter.compiled import compiled

_GRAM_LENGTH = 10
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_GRAM_MASK = (1 << (CODE_BITS * _GRAM_LENGTH)) - 1
_MIN_OCCURRENCES = 2  # beside copied text
_SLOTS_PER_GRAM, _MAX_SLOT_BITS = 4, 20  # of the table of grams that may recur
# On a page with unknown copies:
_MIN_INSERTIONS = 3
_SHORT_GRAM_LENGTH, _MIN_SHORT_INSERTIONS = 5, 6
_MAX_NEIGHBOUR_RATIO = 3  # most that the neighbouring gram may be more frequent


def mark_recurring(
    codes: NDArray[np.uint8], starts: NDArray[np.int32], ends: NDArray[np.int32], longest: int
) -> NDArray[np.bool_]:
    """Return bool[n]: whether each initial lies in a gram that occurs at least twice outside these blocks.

    codes: u8[n], the page. starts, ends: i32[m], initials of the blocks, m > 0. Only gaps of at most `longest` initials
    count, and as many initials before the first block and behind the last.
    """
    order = np.argsort(starts, kind="stable")
    reaches = np.maximum.accumulate(ends[order])
    gap_starts = np.concatenate(([max(0, int(starts[order[0]]) - longest)], reaches))
    gap_ends = np.concatenate((starts[order], [min(len(codes), int(reaches[-1]) + longest)]))
    short = gap_ends - gap_starts <= longest
    begins, ends = gap_starts[short].astype(np.int64), gap_ends[short].astype(np.int64)
    recurring: NDArray[np.bool_] = _mark_recurring_grams(codes, begins, ends)
    return recurring


def places_without_furniture(codes: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Return the offsets of the initials outside furniture: i64[k], or None for all or none.

    codes: u8[n], any page with unknown copies. Furniture is a gram that occurs three times, or a short one that occurs
    more often. A refrain therefore counts as furniture.
    """
    offsets = np.flatnonzero(~_mark_furniture(codes))
    return offsets if 0 < len(offsets) < len(codes) else None


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True))")
def _mark_furniture(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the initials in recurring grams, and the figures beside them.

    A gram that is far rarer than its neighbour is the end of furniture with an initial of the next clause.
    """
    furniture = np.zeros(len(codes), np.bool_)
    non_digits = np.flatnonzero(codes < DIGIT_0)  # figures differ between occurrences
    frequencies = _count_grams(codes, non_digits, _SHORT_GRAM_LENGTH)
    if not (frequencies >= _MIN_INSERTIONS).any():
        return furniture
    long = _count_grams(codes, non_digits, _GRAM_LENGTH)
    inside = _GRAM_LENGTH - _SHORT_GRAM_LENGTH + 1  # short grams in a long gram
    for index in range(len(frequencies)):
        highest = frequencies[max(0, index - 1) : index + 2].max()
        recurs = frequencies[index] >= _MIN_SHORT_INSERTIONS and _MAX_NEIGHBOUR_RATIO * frequencies[index] >= highest
        for first in range(max(0, index - inside + 1), min(index + 1, len(long))):
            if not recurs and long[first] >= _MIN_INSERTIONS:
                recurs = _MAX_NEIGHBOUR_RATIO * frequencies[index] >= frequencies[first : first + inside].max()
        if recurs:
            furniture[non_digits[index : index + _SHORT_GRAM_LENGTH]] = True
    _mark_adjacent_figures(codes, furniture)
    return furniture


@compiled("b1(Array(u1, 1, 'C', readonly=True), b1[::1])")
def _mark_adjacent_figures(codes: NDArray[np.uint8], furniture: NDArray[np.bool_]) -> bool:
    """Mark the figures beside furniture as furniture."""
    for begin, end, step in ((0, len(codes), 1), (len(codes) - 1, -1, -1)):
        is_adjacent = False
        for index in range(begin, end, step):
            if codes[index] < DIGIT_0:
                is_adjacent = furniture[index]
            else:
                furniture[index] |= is_adjacent
    return True


@compiled("i8[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8)")
def _count_grams(codes: NDArray[np.uint8], offsets: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """Count the occurrences of the gram that begins at each of these offsets."""
    size = max(0, len(offsets) - length + 1)
    bits = 4
    while (1 << bits) < 2 * size:
        bits += 1
    grams, counts = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int64)
    slots = np.empty(size, np.int64)
    gram, mask = np.uint64(0), (np.uint64(1) << np.uint64(CODE_BITS * length)) - np.uint64(1)
    for index in range(len(offsets)):
        gram = ((gram << np.uint64(CODE_BITS)) | np.uint64(codes[offsets[index]])) & mask
        if index < length - 1:
            continue
        slot = np.int64((gram * _HASH_FACTOR) >> np.uint64(64 - bits))
        while counts[slot] and grams[slot] != gram:
            slot = (slot + 1) & ((1 << bits) - 1)
        grams[slot] = gram
        counts[slot] += 1
        slots[index - length + 1] = slot
    return counts[slots]


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8[::1])")
def _mark_recurring_grams(
    codes: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Mark the grams that recur within these gaps.

    Only grams that share their slot with another one are sorted: few, where little recurs.
    """
    recurring = np.zeros(len(codes), np.bool_)
    room = np.maximum(ends - starts, 0).sum()
    bits = 10
    while (1 << bits) < _SLOTS_PER_GRAM * room and bits < _MAX_SLOT_BITS:
        bits += 1
    shift = np.uint64(64 - bits)
    seen = np.zeros(1 << bits, np.uint8)  # grams of each slot, at most two
    slots = np.empty(room, np.int32)
    grams = np.empty(room, np.int64)
    offsets = np.empty(room, np.int64)
    size = 0
    for gap in range(len(starts)):
        gram = 0
        for offset in range(starts[gap], ends[gap]):
            gram = ((gram << CODE_BITS) | codes[offset]) & _GRAM_MASK
            if offset - starts[gap] >= _GRAM_LENGTH - 1:
                slot = np.int64((np.uint64(gram) * _HASH_FACTOR) >> shift)
                seen[slot] = min(seen[slot] + 1, 2)
                slots[size] = slot
                grams[size] = gram
                offsets[size] = offset - _GRAM_LENGTH + 1
                size += 1
    kept = 0
    for index in range(size):
        if seen[slots[index]] > 1:
            grams[kept], offsets[kept] = grams[index], offsets[index]
            kept += 1
    size = kept
    order = np.argsort(grams[:size], kind="mergesort")
    for rank in range(_MIN_OCCURRENCES - 1, size):
        same = order[rank - _MIN_OCCURRENCES + 1 : rank + 1]
        if grams[same[0]] == grams[same[-1]]:
            for gram_index in same:
                recurring[offsets[gram_index] : offsets[gram_index] + _GRAM_LENGTH] = True
    return recurring
