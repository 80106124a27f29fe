"""Extend passages by fragments beside or between their blocks.

Fragments are shuffled short sentences, or what follows the last advert. Near a passage, a few agreeing characters are
no chance any more.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS
from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import SAME_HAN_BITS, Blocks, letter_bits

_SEARCH_WINDOW = 48  # initials beyond the passage that are searched on either side
_MAX_COMPARED_PAIRS = 400_000  # pairs of initials that are compared at most, as a larger passage needs no fragments
# Initials of the work between the passage and a fragment: a copier inserts text, and continues where he stopped.
_MAX_FRAGMENT_DISTANCE = 2
_EXTENSION_ROUNDS = 4  # rounds, as a fragment may touch a fragment
_CHANCE_BITS = 7.0  # one in 2**7 passages may get a fragment by chance
_GRAM_INITIALS = 4  # shortest fragment of two texts that have no shared gram of so many free initials
_GRAM_MASK = (1 << (CODE_BITS * _GRAM_INITIALS)) - 1
_SLOT_BITS = 12  # slots of the table of grams
_HASH_FACTOR = 2654435761  # Knuth's multiplicative hash

Codes = NDArray[np.uint8]
Points = NDArray[np.uint32]
Mask = NDArray[np.bool_]

_CODES = "Array(u1, 1, 'C', readonly=True)"


def extend_passages(
    page: Codes,
    page_points: Points,
    work: Codes,
    work_points: Points,
    blocks: Blocks,
    chosen: NDArray[np.int64],
    spans: NDArray[np.int64],
    page_fragments: Mask,
    work_fragments: Mask,
) -> NDArray[np.int64]:
    """Return the first and last initials of each passage with its fragments on both sides, ends exclusive: i64[n, 4].

    page, work: initials. *_points: the code point of each initial. chosen: numbers of the blocks that explain initials
    already. spans: the passages without fragments. *_fragments: receives the marks of the initials in fragments.
    """
    extended: NDArray[np.int64] = _extend_all(
        page, page_points, page_fragments, work, work_points, work_fragments, *blocks[:4], chosen, spans
    )
    return extended


@compiled("b1[::1](i8, i4[:], i4[:], i8[::1])")
def _mark_covered(size, starts, ends, chosen):  # type: ignore[no-untyped-def]  # compiled
    """Mark the initials of a text of this size that lie in any of the chosen blocks."""
    covered = np.zeros(size, np.bool_)
    for block in chosen:
        covered[starts[block] : ends[block]] = True
    return covered


@compiled("i8[::1](b1[::1], i8, i8)")
def _free_initials(covered, start, end):  # type: ignore[no-untyped-def]  # compiled
    """Return the initials of a passage and beside it that no block explains."""
    first, last = max(0, start - _SEARCH_WINDOW), min(len(covered), end + _SEARCH_WINDOW)
    free = np.empty(last - first, np.int64)
    count = 0
    for index in range(first, last):
        if not covered[index]:
            free[count] = index
            count += 1
    return free[:count].copy()


@compiled(f"i4[::1]({_CODES}, i8[::1])")
def _pack_free_grams(codes, free):  # type: ignore[no-untyped-def]  # compiled
    """Return the gram that ends at each free initial: i32[n], -1 where fewer free initials stand together."""
    grams = np.empty(len(free), np.int32)
    gram = run = 0
    for place in range(len(free)):
        run = run + 1 if place > 0 and free[place - 1] == free[place] - 1 else 1
        gram = ((gram << CODE_BITS) | codes[free[place]]) & _GRAM_MASK
        grams[place] = gram if run >= _GRAM_INITIALS else -1
    return grams


@compiled(f"b1({_CODES}, i8[::1], {_CODES}, i8[::1])")
def _share_gram(page, free_page, work, free_work):  # type: ignore[no-untyped-def]  # compiled
    """Whether any gram of free initials is in both texts."""
    page_grams = _pack_free_grams(page, free_page)
    work_grams = _pack_free_grams(work, free_work)
    heads = np.zeros(1 << _SLOT_BITS, np.int32)
    previous = np.empty(len(work_grams), np.int32)
    for place in range(len(work_grams)):
        if work_grams[place] >= 0:
            slot = ((work_grams[place] * _HASH_FACTOR) & 0xFFFFFFFF) >> (32 - _SLOT_BITS)
            previous[place] = heads[slot]
            heads[slot] = place + 1
    for gram in page_grams:
        if gram >= 0:
            link = heads[((gram * _HASH_FACTOR) & 0xFFFFFFFF) >> (32 - _SLOT_BITS)]
            while link > 0:
                if work_grams[link - 1] == gram:
                    return True
                link = previous[link - 1]
    return False


@compiled(
    f"UniTuple(i8, 4)({_CODES}, u4[::1], i8[::1], b1[::1], {_CODES}, u4[::1], i8[::1], b1[::1], f8, i8, i8, i8, i8)"
)
def _extend_once(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    free_page,
    page_fragments,
    work,
    work_points,
    free_work,
    work_fragments,
    min_bits,
    page_start,
    page_end,
    work_start,
    work_end,
):
    # bits[b + 1], lengths[b + 1]: the run of agreeing initials that ends at page initial i and free work initial b.
    """Extend the passage by all runs of agreeing initials that reach `min_bits` near it."""
    bits = np.zeros(len(free_work) + 1, np.float64)
    lengths = np.zeros(len(free_work) + 1, np.int64)
    for a in range(len(free_page)):
        i = free_page[a]
        if a == 0 or free_page[a - 1] != i - 1:
            bits[:] = 0.0
            lengths[:] = 0
        for b in range(len(free_work) - 1, -1, -1):  # backwards, so that entry b still holds the previous row
            j = free_work[b]
            if page[i] != work[j]:
                bits[b + 1] = 0.0
                lengths[b + 1] = 0
                continue
            gain = letter_bits(page[i], page_points[i], work_points[j])
            follows = b > 0 and free_work[b - 1] == j - 1
            bits[b + 1] = gain + (bits[b] if follows else 0.0)
            lengths[b + 1] = 1 + (lengths[b] if follows else 0)
            if bits[b + 1] < min_bits:
                continue
            first_page = i - lengths[b + 1] + 1
            first_work = j - lengths[b + 1] + 1
            if max(work_start - j - 1, first_work - work_end) <= _MAX_FRAGMENT_DISTANCE:
                page_start = min(page_start, first_page)
                page_end = max(page_end, i + 1)
                work_start = min(work_start, first_work)
                work_end = max(work_end, j + 1)
                page_fragments[first_page : i + 1] = True
                work_fragments[first_work : j + 1] = True
    return page_start, page_end, work_start, work_end


@compiled(f"UniTuple(i8, 4)({_CODES}, u4[::1], b1[::1], b1[::1], {_CODES}, u4[::1], b1[::1], b1[::1], i8, i8, i8, i8)")
def _extend_rounds(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    page_covered,
    page_fragments,
    work,
    work_points,
    work_covered,
    work_fragments,
    page_start,
    page_end,
    work_start,
    work_end,
):
    """Extend the passage until it stops growing."""
    span = (page_start, page_end, work_start, work_end)
    free_page = _free_initials(page_covered, page_start, page_end)
    free_work = _free_initials(work_covered, work_start, work_end)
    area = len(free_page) * len(free_work)
    if area == 0 or area > _MAX_COMPARED_PAIRS:
        return span
    min_bits = np.log2(area) + _CHANCE_BITS
    if min_bits > (_GRAM_INITIALS - 1) * SAME_HAN_BITS and not _share_gram(page, free_page, work, free_work):
        return span  # a fragment has more initials than fit into fewer bits
    for _ in range(_EXTENSION_ROUNDS):
        before = span
        span = _extend_once(
            page,
            page_points,
            free_page,
            page_fragments,
            work,
            work_points,
            free_work,
            work_fragments,
            min_bits,
            *before,
        )
        if span == before:
            break
    return span


@compiled(
    f"i8[:,::1]({_CODES}, u4[::1], b1[::1], {_CODES}, u4[::1], b1[::1], i4[:], i4[:], i4[:], i4[:], i8[::1], i8[:,::1])"
)
def _extend_all(  # type: ignore[no-untyped-def]  # compiled
    page,
    page_points,
    page_fragments,
    work,
    work_points,
    work_fragments,
    page_start,
    page_end,
    work_start,
    work_end,
    chosen,
    spans,
):
    """Extend each passage. They share the initials that blocks explain."""
    page_covered = _mark_covered(len(page), page_start, page_end, chosen)
    work_covered = _mark_covered(len(work), work_start, work_end, chosen)
    extended = np.empty_like(spans)
    for number in range(len(spans)):
        span = spans[number]
        bounds = _extend_rounds(
            page,
            page_points,
            page_covered,
            page_fragments,
            work,
            work_points,
            work_covered,
            work_fragments,
            span[0],
            span[1],
            span[2],
            span[3],
        )
        extended[number, 0], extended[number, 1], extended[number, 2], extended[number, 3] = bounds
    return extended
