"""Find blocks that two texts share: seeds are shared grams, extension tolerates edits.

A block is what sequence search calls a high-scoring segment pair. Seeds are shared grams, by the two-hit rule of
Altschul et al. ("Gapped BLAST and PSI-BLAST", 1997). Growth is the greedy alignment of Zhang, Schwartz, Wagner and
Miller ("A greedy algorithm for aligning DNA sequences", 2000): the furthest-reaching points for each number of
differences, given up once the score falls too far below the best.

Initials are weighed by how much information their agreement carries. A Han character is one choice of its writer. A
Latin word is one choice and many initials.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS, DIGIT_0, LATIN_A
from fingerprinter.compiled import compiled

SEED_LENGTH = 5  # initials of a seed
_SEED_MASK = (1 << (CODE_BITS * SEED_LENGTH)) - 1
_MAX_SEED_OCCURRENCES = 16  # a gram that is more frequent in the shorter text gives no seeds ...
_MIN_REPETITIVE_SHARE = 0.25  # ... unless nothing else matches and such grams are this share of the longer text
MIN_SINGLE_RUN = 8  # a run of so many agreeing initials is extended at once ...
_MAX_SEED_DISTANCE = 40  # ... a shorter one only if another run ends so few initials before it, ...
_BAND_BITS = 3  # ... in the same or the next band of 2**3 diagonals
# Score: +1 for each initial consumed on either side, -5 a difference: match +2, replaced -3, inserted or deleted -4.
_DIFFERENCE_COST = 5
_MAX_SCORE_DROP = 24  # extension ends this far below the best score
_MAX_DIAGONALS = 128  # most diagonals that an extension follows
_MAX_BLOCKS = 4096  # blocks of one pair of texts
_MAX_DIFFERENCES_PER_INITIAL = 64  # differences tried for each initial of both texts; only repetitive texts come near

Array = NDArray[np.int32]


class Blocks(NamedTuple):
    """m blocks by their initials, ends exclusive, all i32[m]. One unit of score is about 1.8 bits against chance."""

    page_start: Array
    page_end: Array
    work_start: Array
    work_end: Array
    score: Array


def find_blocks(
    page: NDArray[np.uint8], work: NDArray[np.uint8], min_score: int, single_run: int = MIN_SINGLE_RUN
) -> Blocks:
    """Find blocks of at least this score. Time and memory grow with the sum of the lengths.

    single_run: a run of so many agreeing initials is extended at once, a shorter one beside another run.
    """
    swapped = len(page) > len(work)
    short, long = (work, page) if swapped else (page, work)
    if len(short) < SEED_LENGTH:
        return Blocks(*np.empty((5, 0), np.int32))
    blocks, repetitive_grams = _find_blocks(short, long, min_score, False, single_run)
    if not len(blocks) and repetitive_grams >= _MIN_REPETITIVE_SHARE * len(long):
        blocks, _ = _find_blocks(short, long, min_score, True, single_run)
    first, second = blocks[:, 0:2].T, blocks[:, 2:4].T
    if swapped:
        first, second = second, first
    return Blocks(first[0], first[1], second[0], second[1], blocks[:, 4])


def concatenate_blocks(first: Blocks, second: Blocks) -> Blocks:
    """Concatenate two sets of blocks."""
    return Blocks(*(np.concatenate(columns) for columns in zip(first, second, strict=True)))


_TEXT = "Array(u1, 1, 'C', readonly=True)"
_I4 = "i4[::1]"
_HASH_FACTOR = 2654435761  # Knuth's multiplicative hash
_UNREACHED = -2  # replaces a furthest point where nothing reaches the diagonal


@compiled(f"void({_I4}, i8, i8)")
def _move_to_front(row, first, kept):  # type: ignore[no-untyped-def]  # compiled
    """Move so many columns to the front, with an empty column on either side."""
    if first > 1:
        for column in range(kept):
            row[column + 1] = row[first + column]
    row[0] = _UNREACHED
    row[kept + 1] = _UNREACHED


@compiled(f"Tuple((i8, i8, i8, i8))({_TEXT}, i8, {_TEXT}, i8, i8, i4[:,::1])")
def _extend_seed(a, a_from, b, b_from, step, rows):  # type: ignore[no-untyped-def]  # compiled
    """Extend from (a_from, b_from) along `step`. Return initials consumed of a and b, score, differences."""
    a_room = len(a) - a_from if step > 0 else a_from + 1
    b_room = len(b) - b_from if step > 0 else b_from + 1
    i = 0
    while i < a_room and i < b_room and a[a_from + step * i] == b[b_from + step * i]:
        i += 1
    best, best_i, best_j = 2 * i, i, i
    low = high = 0  # diagonals i - j of the last row
    rows[0, 1] = i  # column of diagonal k: k - low + 1, with an empty column on either side
    rows[0, 0] = rows[0, 2] = _UNREACHED
    now = 0
    differences = 0
    while low <= high:
        differences += 1
        old, new = rows[now], rows[1 - now]
        first_kept, last_kept = 1, 0
        for column in range(high - low + 3):
            i = _UNREACHED  # furthest point in a on this diagonal with one more difference
            if column > 0 and old[column - 1] >= 0:
                i = old[column - 1] + 1  # an initial only in a
            if old[column] >= 0 and old[column] + 1 > i:
                i = old[column] + 1  # replaced
            if column < high - low + 2 and old[column + 1] > i:
                i = old[column + 1]  # an initial only in b
            j = i - (low + column - 1)
            if i < 0 or j < 0 or i > a_room or j > b_room:
                new[column + 1] = _UNREACHED
                continue
            while i < a_room and j < b_room and a[a_from + step * i] == b[b_from + step * j]:
                i += 1
                j += 1
            score = i + j - _DIFFERENCE_COST * differences
            if score < best - _MAX_SCORE_DROP:
                new[column + 1] = _UNREACHED
                continue
            new[column + 1] = i
            if first_kept > last_kept:
                first_kept = column + 1
            last_kept = column + 1
            if score > best:
                best, best_i, best_j = score, i, j
        if first_kept > last_kept:
            break
        kept = min(last_kept - first_kept + 1, _MAX_DIAGONALS - 4)
        _move_to_front(new, first_kept, kept)
        low += first_kept - 2
        high = low + kept - 1
        now = 1 - now
    return best_i, best_j, best, differences


@compiled(f"Tuple(({_I4}, u1[::1], {_I4}, {_I4}, i8))({_TEXT})")
def _index_grams(short):  # type: ignore[no-untyped-def]  # compiled
    """Index the grams of the shorter text by their hash.

    Return for each slot the last offset plus 1 and the number of grams, at most 255. For each offset, return the
    previous offset of its slot plus 1, and its gram. The last value is the shift from a hash to its slot.
    """
    n = len(short)
    bits = 10
    while (1 << bits) < 4 * n and bits < 24:
        bits += 1
    shift = 32 - bits
    heads = np.zeros(1 << bits, np.int32)
    sizes = np.zeros(1 << bits, np.uint8)
    previous = np.empty(n, np.int32)
    grams = np.empty(n, np.int32)
    code = 0
    for offset in range(n):
        code = ((code << CODE_BITS) | short[offset]) & _SEED_MASK
        start = offset - SEED_LENGTH + 1
        if start < 0:
            continue
        grams[start] = code
        slot = ((code * _HASH_FACTOR) & 0xFFFFFFFF) >> shift
        previous[start] = heads[slot]
        heads[slot] = start + 1
        if sizes[slot] < 255:
            sizes[slot] += 1
    return heads, sizes, previous, grams, shift


@compiled(f"UniTuple(i8, 2)({_TEXT}, i8, {_TEXT}, i8)")
def _run_lengths(short, i, long, j):  # type: ignore[no-untyped-def]  # compiled
    """Count the initials that agree without a break before a shared gram, and from its first initial on."""
    end = SEED_LENGTH
    while i + end < len(short) and j + end < len(long) and short[i + end] == long[j + end]:
        end += 1
    begin = 0
    while i - begin > 0 and j - begin > 0 and short[i - begin - 1] == long[j - begin - 1]:
        begin += 1
    return begin, end


@compiled(f"void({_I4}, i8, i8, i8, i8)")
def _cover_bands(grown_ends, band, last_band, j, grown):  # type: ignore[no-untyped-def]  # compiled
    """Record the end of a block in its bands. It drifts from the first to the last, and leaves those between."""
    drift = last_band - band
    for passed in range(abs(drift) + 1):
        covered = band + passed if drift > 0 else band - passed
        until = j + grown
        if passed < abs(drift):
            until = min(until, j + grown * (passed + 1) // (abs(drift) + 1) + _MAX_SEED_DISTANCE)
        grown_ends[covered] = max(grown_ends[covered], until)


@compiled("i4[:,::1](i4[:,::1], i8)")
def _ensure_room(blocks, count):  # type: ignore[no-untyped-def]  # compiled
    """Return the blocks with room for one more."""
    if count < len(blocks):
        return blocks
    larger = np.empty((2 * count, 5), np.int32)
    larger[:count] = blocks
    return larger


@compiled(f"Tuple((i4[:,::1], i8))({_TEXT}, {_TEXT}, i8, b1, i8)")
def _find_blocks(short, long, min_score, repetitive, single_run):  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915  one pass with much state
    """Return the blocks, and the number of the longer text's grams that are too frequent in the shorter text.

    repetitive: follow those grams too, to their last `_MAX_SEED_OCCURRENCES` offsets, as far as the effort allows.
    """
    n, m = len(short), len(long)
    heads, sizes, previous, grams, shift = _index_grams(short)
    run_ends = np.zeros(n + m + 1, np.int32)  # by diagonal: end in `long` of the last run
    bands = ((n + m) >> _BAND_BITS) + 3
    last_ends = np.full(bands, -_MAX_SEED_DISTANCE - 1, np.int32)  # by band: end of the last run
    grown_ends = np.zeros(bands, np.int32)  # by band: end of the last block
    rows = np.empty((2, _MAX_DIAGONALS + 4), np.int32)
    blocks = np.empty((64, 5), np.int32)
    count = repetitive_grams = 0
    effort = _MAX_DIFFERENCES_PER_INITIAL * (n + m)
    last_diagonal = explained_end = 0  # diagonal and end of the run or block that explains the last gram
    code = 0
    for offset in range(m):
        code = ((code << CODE_BITS) | long[offset]) & _SEED_MASK
        j = offset - SEED_LENGTH + 1
        if j < 0:
            continue
        slot = ((code * _HASH_FACTOR) & 0xFFFFFFFF) >> shift
        if heads[slot] == 0:
            continue
        if sizes[slot] > _MAX_SEED_OCCURRENCES:
            repetitive_grams += 1
            if not repetitive:
                continue
        link = heads[slot]
        links = _MAX_SEED_OCCURRENCES
        if sizes[slot] == 1 and link == j - last_diagonal + 1 and j < explained_end:
            continue  # fast path inside a copy
        while link > 0 and links > 0:
            i = link - 1
            link = previous[i]
            links -= 1
            if grams[i] != code:
                continue
            diagonal = j - i + n
            band = (diagonal >> _BAND_BITS) + 1
            if j < max(run_ends[diagonal], grown_ends[band]):
                last_diagonal = j - i
                explained_end = run_ends[diagonal] if j < run_ends[diagonal] else grown_ends[band]
                continue
            begin, end = _run_lengths(short, i, long, j)
            if repetitive:
                effort -= begin + end
                if effort < 0:
                    return blocks[:count].copy(), repetitive_grams
            run_ends[diagonal] = j + end
            near = max(last_ends[band - 1], last_ends[band], last_ends[band + 1])
            last_ends[band] = j + end
            if begin + end < single_run and near < j - _MAX_SEED_DISTANCE:
                continue
            if effort < 0 or count >= _MAX_BLOCKS:
                continue
            i_right, j_right, right, right_effort = _extend_seed(short, i, long, j, 1, rows)
            i_left, j_left, left, left_effort = _extend_seed(short, i - 1, long, j - 1, -1, rows)
            effort -= right_effort + left_effort
            _cover_bands(grown_ends, band, ((j + j_right - i - i_right + n) >> _BAND_BITS) + 1, j, j_right)
            if left + right < min_score:
                continue
            blocks = _ensure_room(blocks, count)
            blocks[count, 0], blocks[count, 1] = i - i_left, i + i_right
            blocks[count, 2], blocks[count, 3] = j - j_left, j + j_right
            blocks[count, 4] = left + right
            count += 1
    return blocks[:count].copy(), repetitive_grams


# Information of one initial, in Han initials.
_LATIN_WEIGHT = 0.4
_DIGIT_WEIGHT = 0.5

Floats = NDArray[np.float64]


@compiled("f8[::1](Array(u1, 1, 'C', readonly=True))")
def cumulative_information(codes: NDArray[np.uint8]) -> Floats:
    """Return f64[n + 1]: the information of the initials before each offset, in Han initials."""
    sums = np.empty(len(codes) + 1, np.float64)
    total = 0.0
    sums[0] = 0.0
    for index in range(len(codes)):
        if codes[index] < LATIN_A:
            total += 1.0
        elif codes[index] < DIGIT_0:
            total += _LATIN_WEIGHT
        else:
            total += _DIGIT_WEIGHT
        sums[index + 1] = total
    return sums


def block_weights(blocks: Blocks, page_info: Floats) -> Floats:
    """Return f64[m]: agreeing initials of each block less the cost of its differences, by information."""
    weights: Floats = weigh_blocks(blocks.page_start, blocks.page_end, blocks.score, page_info)
    return weights


@compiled("f8[::1](i4[:], i4[:], i4[:], f8[::1])")
def weigh_blocks(starts, ends, scores, page_info):  # type: ignore[no-untyped-def]  # compiled
    """Return `block_weights` by the columns of the blocks."""
    weights = np.empty(len(starts), np.float64)
    for block in range(len(starts)):
        start, end = starts[block], ends[block]
        weights[block] = scores[block] / 2 * ((page_info[end] - page_info[start]) / (end - start))
    return weights


SAME_HAN_BITS: Final = 6.0
_SAME_SOUND_BITS: Final = 3.5
_LATIN_BITS: Final = 1.5


@compiled("f8(u1, u4, u4)")
def letter_bits(letter: int, page_point: int, work_point: int) -> float:
    """Return the bits of an agreeing initial. *_point: the code point behind it on either side."""
    if letter >= LATIN_A:
        return _LATIN_BITS
    return SAME_HAN_BITS if page_point == work_point else _SAME_SOUND_BITS
