"""Find text that recurs on a page between what was copied: advertisements, watermarks, names of sites.

Between two pieces of a passage such furniture tells nothing, however long it is; and where it stands between any two
clauses, the copy is looked for without it.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS, DIGIT_0
from fingerprinter.compiled import compiled

_GRAM_LENGTH = 10
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_GRAM_MASK = (1 << (CODE_BITS * _GRAM_LENGTH)) - 1
_MIN_OCCURRENCES = 2  # beside what was copied
# On a page of which nothing is known:
_MIN_INSERTIONS = 3
_SHORT_GRAM_LENGTH, _MIN_SHORT_INSERTIONS = 5, 6
_MAX_NEIGHBOUR_RATIO = 3  # times that the gram beside it stands as often, at most


def mark_recurring(
    codes: NDArray[np.uint8], starts: NDArray[np.int32], ends: NDArray[np.int32], longest: int
) -> NDArray[np.bool_]:
    """bool[n]: which letters lie in a gram that stands at least twice beside these blocks.

    codes: u8[n], the page. starts, ends: i32[m], letters of the blocks, m > 0. Looked at are the gaps between them of
    at most `longest` letters, and as many before the first and behind the last.
    """
    order = np.argsort(starts, kind="stable")
    reaches = np.maximum.accumulate(ends[order])
    gap_starts = np.concatenate(([max(0, int(starts[order[0]]) - longest)], reaches))
    gap_ends = np.concatenate((starts[order], [min(len(codes), int(reaches[-1]) + longest)]))
    short = gap_ends - gap_starts <= longest
    begins, ends = gap_starts[short].astype(np.int64), gap_ends[short].astype(np.int64)
    found: NDArray[np.bool_] = _mark_recurring_grams(codes, begins, ends)
    return found


def places_without_furniture(codes: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """The places of the letters that lie in no furniture: i64[k]; None where all do, or none does.

    codes: u8[n], any page; of what it copied nothing is known. Furniture is a gram that stands three times, or a short
    one that stands more often, so a refrain counts as such, too.
    """
    kept = np.flatnonzero(~_mark_furniture(codes))
    return kept if 0 < len(kept) < len(codes) else None


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True))")
def _mark_furniture(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which letters lie in such grams, and the figures beside them.

    A gram that stands far less often than the one beside it is the end of a frame and a letter of the clause behind.
    """
    found = np.zeros(len(codes), np.bool_)
    letters = np.flatnonzero(codes < DIGIT_0)  # figures change from one time to the next
    often = _count_grams(codes, letters, _SHORT_GRAM_LENGTH)
    if not (often >= _MIN_INSERTIONS).any():
        return found
    long = _count_grams(codes, letters, _GRAM_LENGTH)
    inside = _GRAM_LENGTH - _SHORT_GRAM_LENGTH + 1  # short grams in a long one
    for at in range(len(often)):
        around = often[max(0, at - 1) : at + 2].max()
        recurs = often[at] >= _MIN_SHORT_INSERTIONS and _MAX_NEIGHBOUR_RATIO * often[at] >= around
        for first in range(max(0, at - inside + 1), min(at + 1, len(long))):
            if not recurs and long[first] >= _MIN_INSERTIONS:
                recurs = _MAX_NEIGHBOUR_RATIO * often[at] >= often[first : first + inside].max()
        if recurs:
            found[letters[at : at + _SHORT_GRAM_LENGTH]] = True
    _mark_adjacent_figures(codes, found)
    return found


@compiled("b1(Array(u1, 1, 'C', readonly=True), b1[::1])")
def _mark_adjacent_figures(codes: NDArray[np.uint8], found: NDArray[np.bool_]) -> bool:
    """Mark the figures beside furniture as such, too."""
    for begin, end, step in ((0, len(codes), 1), (len(codes) - 1, -1, -1)):
        before = False
        for place in range(begin, end, step):
            if codes[place] < DIGIT_0:
                before = found[place]
            else:
                found[place] |= before
    return True


@compiled("i8[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8)")
def _count_grams(codes: NDArray[np.uint8], letters: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """How often the gram stands that begins with each of these letters."""
    size = max(0, len(letters) - length + 1)
    bits = 4
    while (1 << bits) < 2 * size:
        bits += 1
    grams, counts = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int64)
    slots = np.empty(size, np.int64)
    gram, mask = np.uint64(0), (np.uint64(1) << np.uint64(CODE_BITS * length)) - np.uint64(1)
    for at in range(len(letters)):
        gram = ((gram << np.uint64(CODE_BITS)) | np.uint64(codes[letters[at]])) & mask
        if at < length - 1:
            continue
        slot = np.int64((gram * _HASH_FACTOR) >> np.uint64(64 - bits))
        while counts[slot] and grams[slot] != gram:
            slot = (slot + 1) & ((1 << bits) - 1)
        grams[slot] = gram
        counts[slot] += 1
        slots[at - length + 1] = slot
    return counts[slots]


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8[::1])")
def _mark_recurring_grams(
    codes: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.bool_]:
    found = np.zeros(len(codes), np.bool_)
    room = np.maximum(ends - starts, 0).sum()
    grams = np.empty(room, np.int64)
    places = np.empty(room, np.int64)
    size = 0
    for gap in range(len(starts)):
        gram = 0
        for place in range(starts[gap], ends[gap]):
            gram = ((gram << CODE_BITS) | codes[place]) & _GRAM_MASK
            if place - starts[gap] >= _GRAM_LENGTH - 1:
                grams[size] = gram
                places[size] = place - _GRAM_LENGTH + 1
                size += 1
    order = np.argsort(grams[:size], kind="mergesort")
    for rank in range(_MIN_OCCURRENCES - 1, size):
        same = order[rank - _MIN_OCCURRENCES + 1 : rank + 1]
        if grams[same[0]] == grams[same[-1]]:
            for here in same:
                found[places[here] : places[here] + _GRAM_LENGTH] = True
    return found
