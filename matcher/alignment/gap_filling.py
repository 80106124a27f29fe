"""Find short pieces that two texts share between chained blocks.

A copy that is interrupted by filler, clauses of another text or cuts leaves pieces of few characters. Between two known
pieces so few agree by no chance, and neither behind the last one, as far as interruptions are long. A text that
retells, or fills in the same form, has gaps in both texts. An interrupted copy has none in one of them.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from matcher.alignment.seed_and_extend import SAME_HAN_BITS, Blocks, block_weights, cumulative_information, letter_bits

_MIN_CHAIN_WEIGHT = 18.0  # least weight of a chain of blocks
_MAX_BLOCK_DISTANCE = 160  # most initials between two of its blocks, on either side
_MAX_OVERLAP = 6  # initials of the work that two blocks may share, as blocks grow into what follows
_MIN_INTERRUPTION = 6  # initials of an interruption on either side
_MIN_INTERRUPTIONS = 2  # least number of interruptions
MIN_INTERRUPTED_BLOCKS = _MIN_INTERRUPTIONS + 1  # blocks around so many interruptions
_MIN_COVERED_SHARE = 0.95  # share of one side in the blocks and the pieces between them
_MIN_REACH = 10  # least initials beyond the ends of a chain that are searched
_CHANCE_BITS = 7.0  # one search in 2**7 may find a piece by chance
_MAX_PIECES = 1024  # pieces of two texts

Codes = NDArray[np.uint8]
Points = NDArray[np.uint32]


def fill_gaps(page: Codes, page_points: Points, work: Codes, work_points: Points, blocks: Blocks) -> Blocks:
    """Return the pieces between and beside these blocks as blocks. No two claim one place.

    page, work: initials. *_points: the code point of each initial. The score of a piece is its information less that of
    a chance find.
    """
    order = np.argsort(blocks.page_start, kind="stable")
    corners = np.stack(blocks[:4], axis=1)[order]
    weights = block_weights(blocks, cumulative_information(page))[order]
    pieces = _find_pieces(page, page_points, work, work_points, corners, weights)
    return Blocks(*(np.ascontiguousarray(column, np.int32) for column in pieces.T))


_SIDES = "Array(u1, 1, 'C', readonly=True), u4[::1], Array(u1, 1, 'C', readonly=True), u4[::1]"


@compiled(f"Tuple((i8, i8, i8, f8))({_SIDES}, i8, i8, i8, i8)")
def _heaviest_run(page, page_points, work, work_points, i_from, i_to, j_from, j_to):  # type: ignore[no-untyped-def]  # compiled
    """Return the run of agreeing initials in a rectangle that carries the most information.

    The result is its two ends, its length, and its bits beyond chance. The length is 0 where all may be chance.
    """
    width = j_to - j_from
    bits = np.zeros(width + 1, np.float64)  # of the run that ends at each offset
    lengths = np.zeros(width + 1, np.int64)
    chance = np.log2(float((i_to - i_from) * width))
    best = chance + _CHANCE_BITS
    best_i = best_j = best_length = 0
    for i in range(i_from, i_to):
        for column in range(width, 0, -1):  # backwards, so that the entry before still holds the previous row
            j = j_from + column - 1
            if page[i] != work[j]:
                bits[column] = 0.0
                lengths[column] = 0
                continue
            gain = letter_bits(page[i], page_points[i], work_points[j])
            bits[column] = bits[column - 1] + gain
            lengths[column] = lengths[column - 1] + 1
            if bits[column] >= best:
                best = bits[column]
                best_i, best_j, best_length = i + 1, j + 1, lengths[column]
    return best_i, best_j, best_length, best - chance


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_rectangle(page, page_points, work, work_points, i_from, i_to, j_from, j_to, pieces, count):  # type: ignore[no-untyped-def]  # compiled
    """Append the pieces of a rectangle, heaviest first, then those before and behind it. Return the count."""
    rectangles = [(i_from, i_to, j_from, j_to)]
    while len(rectangles) > 0:
        i_from, i_to, j_from, j_to = rectangles.pop()
        if i_to <= i_from or j_to <= j_from or count >= len(pieces):
            continue
        i, j, length, surplus = _heaviest_run(page, page_points, work, work_points, i_from, i_to, j_from, j_to)
        if not length:
            continue
        pieces[count, 0], pieces[count, 1] = i - length, i
        pieces[count, 2], pieces[count, 3] = j - length, j
        pieces[count, 4] = max(1, int(2 * surplus / SAME_HAN_BITS))
        count += 1
        rectangles.append((i_from, i - length, j_from, j - length))
        rectangles.append((i, i_to, j, j_to))
    return count


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_behind(page, page_points, work, work_points, i, j, page_reach, work_reach, pieces, count):  # type: ignore[no-untyped-def]  # compiled
    """Append the pieces behind the end of a chain, each within reach of the last. Return the count."""
    while True:
        before = count
        i_to, j_to = min(len(page), i + page_reach), min(len(work), j + work_reach)
        count = _fill_rectangle(page, page_points, work, work_points, i, i_to, j, j_to, pieces, count)
        if count == before:
            return count
        i, j = pieces[before:count, 1].max(), pieces[before:count, 3].max()


@compiled(f"i8({_SIDES}, i8, i8, i8, i8, i4[:,::1], i8)")
def _fill_before(page, page_points, work, work_points, i, j, page_reach, work_reach, pieces, count):  # type: ignore[no-untyped-def]  # compiled
    """Append the pieces before the beginning of a chain, each within reach of the last. Return the count."""
    while True:
        before = count
        i_from, j_from = max(0, i - page_reach), max(0, j - work_reach)
        count = _fill_rectangle(page, page_points, work, work_points, i_from, i, j_from, j, pieces, count)
        if count == before:
            return count
        i, j = pieces[before:count, 0].min(), pieces[before:count, 2].min()


@compiled("i8(i4[:,::1], i8)")
def _chain_end(corners, first):  # type: ignore[no-untyped-def]  # compiled
    """Return the last of the blocks that follow this one in both texts."""
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
    """Return the lengths of a chain's interruptions on the page and in the work, each row ascending."""
    gaps = np.empty((2, len(chain)), np.int32)
    count = 0
    for index in range(1, len(chain)):
        on_page, in_work = chain[index, 0] - chain[index - 1, 1], chain[index, 2] - chain[index - 1, 3]
        if max(on_page, in_work) >= _MIN_INTERRUPTION:
            gaps[0, count], gaps[1, count] = on_page, in_work
            count += 1
    lengths = np.empty((2, count), np.int32)
    for side in range(2):
        lengths[side] = np.sort(gaps[side, :count])
    return lengths


@compiled("f8(i4[:,::1], i4[:,::1], i8)")
def _covered_share(chain, pieces, side):  # type: ignore[no-untyped-def]  # compiled
    """Return the share of a side, from a chain's first block to its last, in blocks and pieces."""
    inside = (chain[:, side + 1] - chain[:, side]).sum() + (pieces[:, side + 1] - pieces[:, side]).sum()
    return inside / (chain[-1, side + 1] - chain[0, side])


@compiled(f"i4[:,::1]({_SIDES}, i4[:,::1], f8[::1])")
def _find_pieces(page, page_points, work, work_points, corners, weights):  # type: ignore[no-untyped-def]  # compiled
    """Return the pieces of all chains that are interrupted often and complete in one text."""
    pieces = np.empty((_MAX_PIECES, 5), np.int32)
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
        chain_start = count
        for index in range(1, len(chain)):
            i_from, i_to, j_from, j_to = chain[index - 1, 1], chain[index, 0], chain[index - 1, 3], chain[index, 2]
            count = _fill_rectangle(page, page_points, work, work_points, i_from, i_to, j_from, j_to, pieces, count)
        page_whole = _covered_share(chain, pieces[chain_start:count], 0) >= _MIN_COVERED_SHARE
        work_whole = _covered_share(chain, pieces[chain_start:count], 2) >= _MIN_COVERED_SHARE
        if not (page_whole or work_whole):
            count = chain_start
            continue
        page_reach = max(_MIN_REACH, lengths[0, -_MIN_INTERRUPTIONS]) if work_whole else _MIN_REACH
        work_reach = max(_MIN_REACH, lengths[1, -_MIN_INTERRUPTIONS]) if page_whole else _MIN_REACH
        i, j = chain[-1, 1], chain[-1, 3]
        count = _fill_behind(page, page_points, work, work_points, i, j, page_reach, work_reach, pieces, count)
        i, j = chain[0, 0], chain[0, 2]
        count = _fill_before(page, page_points, work, work_points, i, j, page_reach, work_reach, pieces, count)
    return pieces[:count].copy()
