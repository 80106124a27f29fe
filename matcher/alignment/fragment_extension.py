"""Extend passages by fragments beside or between their blocks.

Such are shuffled short sentences, and what follows the last advert. Near a passage, a few characters that agree are no
chance any more.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.information_content import letter_bits

_SEARCH_WINDOW = 48  # letters beyond the passage that are searched on either side
_MAX_COMPARED_PAIRS = 400_000  # pairs of letters that are compared at most; a larger passage does not need its shreds
_MAX_FRAGMENT_DISTANCE = (
    2  # letters of the work between the passage and a shred: a copier puts in between, and goes on where he was
)
_EXTENSION_ROUNDS = 4  # a shred may touch a shred
_CHANCE_BITS = 7.0  # one in so many (2**7) passages may get a shred by chance

Codes = NDArray[np.uint8]
Points = NDArray[np.uint32]
Mask = NDArray[np.bool_]

_CODES = "Array(u1, 1, 'C', readonly=True)"


@compiled("b1[::1](i8, i4[::1], i4[::1])")
def mark_taken(size: int, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> Mask:
    """Which letters of a text of this size lie in any of these blocks."""
    inside = np.zeros(size, np.bool_)
    for block in range(len(starts)):
        inside[starts[block] : ends[block]] = True
    return inside


def extend_passage(
    page: Codes,
    page_points: Points,
    page_taken: Mask,
    work: Codes,
    work_points: Points,
    work_taken: Mask,
    span: tuple[int, int, int, int],
    page_shreds: Mask,
    work_shreds: Mask,
) -> tuple[int, int, int, int]:
    """The passage with its shreds: first and last letters on both sides, ends exclusive.

    page, work: letters. *_points: the code point of each letter. *_taken: letters that blocks explain already.
    *_shreds: the letters of shreds are marked there.
    """
    sides = page, page_points, page_taken, page_shreds, work, work_points, work_taken, work_shreds
    wider: tuple[int, int, int, int] = _extend_rounds(*sides, *span)
    return wider


@compiled("i8[::1](b1[::1], i8, i8)")
def _free_letters(taken, start, end):  # type: ignore[no-untyped-def]  # compiled
    """The letters of a passage and beside it that no block explains."""
    first, last = max(0, start - _SEARCH_WINDOW), min(len(taken), end + _SEARCH_WINDOW)
    found = np.empty(last - first, np.int64)
    count = 0
    for place in range(first, last):
        if not taken[place]:
            found[count] = place
            count += 1
    return found[:count].copy()


@compiled(
    f"UniTuple(i8, 4)({_CODES}, u4[::1], i8[::1], b1[::1], {_CODES}, u4[::1], i8[::1], b1[::1], f8, i8, i8, i8, i8)"
)
def _extend_once(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    free_page,
    page_shreds,
    work,
    work_points,
    free_work,
    work_shreds,
    least,
    page_start,
    page_end,
    work_start,
    work_end,
):
    # Of the run of agreeing letters that ends at this page letter and free work letter b: its bits and its length.
    bits = np.zeros(len(free_work) + 1, np.float64)
    lengths = np.zeros(len(free_work) + 1, np.int64)
    for a in range(len(free_page)):
        i = free_page[a]
        if a == 0 or free_page[a - 1] != i - 1:
            bits[:] = 0.0
            lengths[:] = 0
        for b in range(len(free_work) - 1, -1, -1):  # backwards, so that the place before still holds the row before
            j = free_work[b]
            if page[i] != work[j]:
                bits[b + 1] = 0.0
                lengths[b + 1] = 0
                continue
            gain = letter_bits(page[i], page_points[i], work_points[j])
            follows = b > 0 and free_work[b - 1] == j - 1
            bits[b + 1] = gain + (bits[b] if follows else 0.0)
            lengths[b + 1] = 1 + (lengths[b] if follows else 0)
            if bits[b + 1] < least:
                continue
            first_page = i - lengths[b + 1] + 1
            first_work = j - lengths[b + 1] + 1
            if max(work_start - j - 1, first_work - work_end) <= _MAX_FRAGMENT_DISTANCE:
                page_start = min(page_start, first_page)
                page_end = max(page_end, i + 1)
                work_start = min(work_start, first_work)
                work_end = max(work_end, j + 1)
                page_shreds[first_page : i + 1] = True
                work_shreds[first_work : j + 1] = True
    return page_start, page_end, work_start, work_end


@compiled(f"UniTuple(i8, 4)({_CODES}, u4[::1], b1[::1], b1[::1], {_CODES}, u4[::1], b1[::1], b1[::1], i8, i8, i8, i8)")
def _extend_rounds(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    page_taken,
    page_shreds,
    work,
    work_points,
    work_taken,
    work_shreds,
    page_start,
    page_end,
    work_start,
    work_end,
):
    span = (page_start, page_end, work_start, work_end)
    free_page = _free_letters(page_taken, page_start, page_end)
    free_work = _free_letters(work_taken, work_start, work_end)
    area = len(free_page) * len(free_work)
    if area == 0 or area > _MAX_COMPARED_PAIRS:
        return span
    least = np.log2(area) + _CHANCE_BITS
    for _ in range(_EXTENSION_ROUNDS):
        before = span
        span = _extend_once(
            page, page_points, free_page, page_shreds, work, work_points, free_work, work_shreds, least, *before
        )
        if span == before:
            break
    return span
