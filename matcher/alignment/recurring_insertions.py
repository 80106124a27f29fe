"""What recurs on a page outside of what it copied: adverts, watermarks, the site's name. It is no text of anybody.

Between two pieces of a passage such furniture tells nothing, however long it is; and where it stands between any two
clauses, the copy is looked for without it.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.letters import CODE_BITS, DIGIT_0

_GRAM = 10
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MASK = (1 << (CODE_BITS * _GRAM)) - 1
_TWICE = 2  # beside what was copied
# On a page of which nothing is known:
_TIMES = 3
_SHORT_GRAM, _SHORT_TIMES = 5, 6
_AS_OFTEN = 3  # times that the gram beside it stands as often, at most


def recurring(
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
    found: NDArray[np.bool_] = _recurring(codes, begins, ends)
    return found


def without_furniture(codes: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """The places of the letters that lie in no furniture: i64[k]; None where all do, or none does.

    codes: u8[n], any page; of what it copied nothing is known. Furniture is a gram that stands three times, or a short
    one that stands more often, so a refrain counts as such, too.
    """
    kept = np.flatnonzero(~_furniture(codes))
    return kept if 0 < len(kept) < len(codes) else None


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True))")
def _furniture(codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which letters lie in such grams, and the figures beside them.

    A gram that stands far less often than the one beside it is the end of a frame and a letter of the clause behind.
    """
    found = np.zeros(len(codes), np.bool_)
    letters = np.flatnonzero(codes < DIGIT_0)  # figures change from one time to the next
    often = _counts(codes, letters, _SHORT_GRAM)
    if not (often >= _TIMES).any():
        return found
    long = _counts(codes, letters, _GRAM)
    inside = _GRAM - _SHORT_GRAM + 1  # short grams in a long one
    for at in range(len(often)):
        around = often[max(0, at - 1) : at + 2].max()
        recurs = often[at] >= _SHORT_TIMES and _AS_OFTEN * often[at] >= around
        for first in range(max(0, at - inside + 1), min(at + 1, len(long))):
            if not recurs and long[first] >= _TIMES:
                recurs = _AS_OFTEN * often[at] >= often[first : first + inside].max()
        if recurs:
            found[letters[at : at + _SHORT_GRAM]] = True
    _with_figures(codes, found)
    return found


@compiled("b1(Array(u1, 1, 'C', readonly=True), b1[::1])")
def _with_figures(codes: NDArray[np.uint8], found: NDArray[np.bool_]) -> bool:
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
def _counts(codes: NDArray[np.uint8], letters: NDArray[np.int64], length: int) -> NDArray[np.int64]:
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
        slot = np.int64((gram * _MIX) >> np.uint64(64 - bits))
        while counts[slot] and grams[slot] != gram:
            slot = (slot + 1) & ((1 << bits) - 1)
        grams[slot] = gram
        counts[slot] += 1
        slots[at - length + 1] = slot
    return counts[slots]


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8[::1])")
def _recurring(codes: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    found = np.zeros(len(codes), np.bool_)
    room = np.maximum(ends - starts, 0).sum()
    grams = np.empty(room, np.int64)
    places = np.empty(room, np.int64)
    size = 0
    for gap in range(len(starts)):
        gram = 0
        for place in range(starts[gap], ends[gap]):
            gram = ((gram << CODE_BITS) | codes[place]) & _MASK
            if place - starts[gap] >= _GRAM - 1:
                grams[size] = gram
                places[size] = place - _GRAM + 1
                size += 1
    order = np.argsort(grams[:size], kind="mergesort")
    for rank in range(_TWICE - 1, size):
        same = order[rank - _TWICE + 1 : rank + 1]
        if grams[same[0]] == grams[same[-1]]:
            for here in same:
                found[places[here] : places[here] + _GRAM] = True
    return found
