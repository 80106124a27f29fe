"""What recurs on a page outside of what it copied: adverts, watermarks, the site's name. It is no text of anybody.

Between two pieces of a passage such furniture tells nothing, however long it is; and where it stands between any two
clauses, the copy is looked for without it.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled

_GRAM = 10
_CODE_BITS = 6
_MASK = (1 << (_CODE_BITS * _GRAM)) - 1
_TWICE = 2  # beside what was copied
_TIMES = 3  # on a page of which nothing is known


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
    found: NDArray[np.bool_] = _recurring(codes, begins, ends, _TWICE)
    return found


def without_furniture(codes: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """The places of the letters that lie in no gram that stands three times: i64[k]; None where all do, or none does.

    codes: u8[n], any page; of what it copied nothing is known. A refrain counts as furniture, too.
    """
    start, end = np.array([[0], [len(codes)]], np.int64)
    kept = np.flatnonzero(~_recurring(codes, start, end, _TIMES))
    return kept if 0 < len(kept) < len(codes) else None


@compiled("b1[::1](Array(u1, 1, 'C', readonly=True), i8[::1], i8[::1], i8)")
def _recurring(
    codes: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], times: int
) -> NDArray[np.bool_]:
    found = np.zeros(len(codes), np.bool_)
    room = np.maximum(ends - starts, 0).sum()
    grams = np.empty(room, np.int64)
    places = np.empty(room, np.int64)
    size = 0
    for gap in range(len(starts)):
        gram = 0
        for place in range(starts[gap], ends[gap]):
            gram = ((gram << _CODE_BITS) | codes[place]) & _MASK
            if place - starts[gap] >= _GRAM - 1:
                grams[size] = gram
                places[size] = place - _GRAM + 1
                size += 1
    order = np.argsort(grams[:size], kind="mergesort")
    for rank in range(times - 1, size):
        same = order[rank - times + 1 : rank + 1]
        if grams[same[0]] == grams[same[-1]]:
            for here in same:
                found[places[here] : places[here] + _GRAM] = True
    return found
