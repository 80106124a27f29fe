"""Find short pieces that two texts share between chained blocks.

Who interrupts a copy again and again, by idle words, clauses of another text or cuts, leaves pieces of few characters.
Between two pieces that are known, and behind the last one as far as the interruptions are long, so few are no chance.
What tells such a copy from a text that retells or fills in the same form: one of the two texts is there without a gap.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.information_content import SAME_HAN_BITS, block_weights, cumulative_information, letter_bits
from matcher.alignment.seed_and_extend import Blocks

_MIN_CHAIN_WEIGHT = 18.0  # what blocks that follow each other weigh together at least
_MAX_BLOCK_DISTANCE = 160  # letters between two of them at most, on either side
_MAX_OVERLAP = 6  # letters of the work that both may have: blocks grow into what follows
_MIN_INTERRUPTION = 6  # letters on either side, ...
_MIN_INTERRUPTIONS = 2  # ... and how many such there are at least
MIN_INTERRUPTED_BLOCKS = _MIN_INTERRUPTIONS + 1  # blocks that there are then at least
_MIN_COVERED_SHARE = 0.95  # share of one side that the blocks make up with the lesser ones
_MIN_REACH = 10  # letters beyond the ends of a chain that are searched, where interruptions are no longer
_CHANCE_BITS = 7.0  # one search in so many (2**7) may find a piece by chance
_MAX_PIECES = 1024  # of two texts

Codes = NDArray[np.uint8]
Points = NDArray[np.uint32]


def fill_gaps(page: Codes, page_points: Points, work: Codes, work_points: Points, blocks: Blocks) -> Blocks:
    """The lesser blocks beside these, of which no two claim one place.

    page, work: letters; *_points: the code point of each letter. A lesser block tells less than its letters: less
    what finding it by chance would tell.
    """
    order = np.argsort(blocks.page_start, kind="stable")
    corners = np.stack(blocks[:4], axis=1)[order]
    weights = block_weights(blocks, cumulative_information(page))[order]
    pieces = _find_pieces(page, page_points, work, work_points, corners, weights)
    return Blocks(*(np.ascontiguousarray(column, np.int32) for column in pieces.T))


_SIDES = "Array(u1, 1, 'C', readonly=True), u4[::1], Array(u1, 1, 'C', readonly=True), u4[::1]"


@compiled(f"Tuple((i8, i8, i8, f8))({_SIDES}, i8, i8, i8, i8)")
def _heaviest_run(page, page_points, work, work_points, i_from, i_to, j_from, j_to):  # type: ignore[no-untyped-def]  # compiled
    """Of the runs of letters that agree in a rectangle the one that tells most: behind its last letters, its length,
    and what it tells beyond chance; of length 0 where all may be chance.
    """
    width = j_to - j_from
    bits = np.zeros(width + 1, np.float64)  # of the run that ends here
    lengths = np.zeros(width + 1, np.int64)
    chance = np.log2(float((i_to - i_from) * width))
    best = chance + _CHANCE_BITS
    best_i = best_j = best_length = 0
    for i in range(i_from, i_to):
        for at in range(width, 0, -1):  # backwards, so that the place before still holds the row before
            j = j_from + at - 1
            if page[i] != work[j]:
                bits[at] = 0.0
                lengths[at] = 0
                continue
            gain = letter_bits(page[i], page_points[i], work_points[j])
            bits[at] = bits[at - 1] + gain
            lengths[at] = lengths[at - 1] + 1
            if bits[at] >= best:
                best = bits[at]
                best_i, best_j, best_length = i + 1, j + 1, lengths[at]
    return best_i, best_j, best_length, best - chance


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_rectangle(page, page_points, work, work_points, i_from, i_to, j_from, j_to, found, count):  # type: ignore[no-untyped-def]  # compiled
    """Note the pieces of a rectangle, the heaviest first, then those before and behind it; how many are noted then."""
    waiting = [(i_from, i_to, j_from, j_to)]
    while len(waiting) > 0:
        i_from, i_to, j_from, j_to = waiting.pop()
        if i_to <= i_from or j_to <= j_from or count >= len(found):
            continue
        i, j, length, told_more = _heaviest_run(page, page_points, work, work_points, i_from, i_to, j_from, j_to)
        if not length:
            continue
        found[count, 0], found[count, 1] = i - length, i
        found[count, 2], found[count, 3] = j - length, j
        found[count, 4] = max(1, int(2 * told_more / SAME_HAN_BITS))
        count += 1
        waiting.append((i_from, i - length, j_from, j - length))
        waiting.append((i, i_to, j, j_to))
    return count


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_behind(page, page_points, work, work_points, i, j, page_reach, work_reach, found, count):  # type: ignore[no-untyped-def]  # compiled
    """Note the pieces behind the end of a chain, so far from each other at most; how many are noted then."""
    while True:
        before = count
        i_to, j_to = min(len(page), i + page_reach), min(len(work), j + work_reach)
        count = _fill_rectangle(page, page_points, work, work_points, i, i_to, j, j_to, found, count)
        if count == before:
            return count
        i, j = found[before:count, 1].max(), found[before:count, 3].max()


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_before(page, page_points, work, work_points, i, j, page_reach, work_reach, found, count):  # type: ignore[no-untyped-def]  # compiled
    """The same before its beginning."""
    while True:
        before = count
        i_from, j_from = max(0, i - page_reach), max(0, j - work_reach)
        count = _fill_rectangle(page, page_points, work, work_points, i_from, i, j_from, j, found, count)
        if count == before:
            return count
        i, j = found[before:count, 0].min(), found[before:count, 2].min()


@compiled("i8(i4[:,::1], i8)")
def _chain_end(corners, first):  # type: ignore[no-untyped-def]  # compiled
    """The last of the blocks that follow this one in both texts."""
    last = first
    while last + 1 < len(corners):
        on_page = corners[last + 1, 0] - corners[last, 1]
        in_work = corners[last + 1, 2] - corners[last, 3]
        if on_page > _MAX_BLOCK_DISTANCE or in_work > _MAX_BLOCK_DISTANCE or in_work < -_MAX_OVERLAP:
            break
        last += 1
    return last


@compiled("i4[:,::1](i4[:,::1])")
def _interruption_lengths(chain):  # type: ignore[no-untyped-def]  # compiled
    """How long the interruptions of a chain are on the page and in the work, in ascending order on either side."""
    gaps = np.empty((2, len(chain)), np.int32)
    count = 0
    for at in range(1, len(chain)):
        on_page, in_work = chain[at, 0] - chain[at - 1, 1], chain[at, 2] - chain[at - 1, 3]
        if max(on_page, in_work) >= _MIN_INTERRUPTION:
            gaps[0, count], gaps[1, count] = on_page, in_work
            count += 1
    found = np.empty((2, count), np.int32)
    for side in range(2):
        found[side] = np.sort(gaps[side, :count])
    return found


@compiled("f8(i4[:,::1], i4[:,::1], i8)")
def _covered_share(chain, lesser, side):  # type: ignore[no-untyped-def]  # compiled
    """What share of a side, from the first block of a chain to the last, its blocks and the lesser ones make up."""
    inside = (chain[:, side + 1] - chain[:, side]).sum() + (lesser[:, side + 1] - lesser[:, side]).sum()
    return inside / (chain[-1, side + 1] - chain[0, side])


@compiled(f"i4[:,::1]({_SIDES}, i4[:,::1], f8[::1])")
def _find_pieces(page, page_points, work, work_points, corners, weights):  # type: ignore[no-untyped-def]  # compiled
    found = np.empty((_MAX_PIECES, 5), np.int32)
    count = 0
    first = 0
    while first < len(corners):
        last = _chain_end(corners, first)
        chain = corners[first : last + 1]
        weight = weights[first : last + 1].sum()
        first = last + 1
        lengths = _interruption_lengths(chain)
        if weight < _MIN_CHAIN_WEIGHT or lengths.shape[1] < _MIN_INTERRUPTIONS:
            continue
        begun = count
        for at in range(1, len(chain)):
            i_from, i_to, j_from, j_to = chain[at - 1, 1], chain[at, 0], chain[at - 1, 3], chain[at, 2]
            count = _fill_rectangle(page, page_points, work, work_points, i_from, i_to, j_from, j_to, found, count)
        page_whole = _covered_share(chain, found[begun:count], 0) >= _MIN_COVERED_SHARE
        work_whole = _covered_share(chain, found[begun:count], 2) >= _MIN_COVERED_SHARE
        if not (page_whole or work_whole):
            count = begun
            continue
        page_reach = max(_MIN_REACH, lengths[0, -_MIN_INTERRUPTIONS]) if work_whole else _MIN_REACH
        work_reach = max(_MIN_REACH, lengths[1, -_MIN_INTERRUPTIONS]) if page_whole else _MIN_REACH
        i, j = chain[-1, 1], chain[-1, 3]
        count = _fill_behind(page, page_points, work, work_points, i, j, page_reach, work_reach, found, count)
        i, j = chain[0, 0], chain[0, 2]
        count = _fill_before(page, page_points, work, work_points, i, j, page_reach, work_reach, found, count)
    return found[:count].copy()
