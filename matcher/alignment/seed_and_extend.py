"""Find blocks that two texts share: seeds are shared grams, extension tolerates edits.

A block is what sequence search calls a high-scoring segment pair. Seeds are shared grams, by the two-hit rule of
Altschul et al. ("Gapped BLAST and PSI-BLAST", 1997). Growth is the greedy alignment of Zhang, Schwartz, Wagner and
Miller ("A greedy algorithm for aligning DNA sequences", 2000): the furthest-reaching points for each number of
differences, given up once the score falls too far below the best.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS
from fingerprinter.compiled import compiled

SEED_LENGTH = 5  # letters of a seed
_SEED_MASK = (1 << (CODE_BITS * SEED_LENGTH)) - 1
_MAX_SEED_OCCURRENCES = 16  # a gram that stands more often than this in the shorter text gives no seeds ...
_MIN_REPETITIVE_SHARE = 0.25  # ... unless nothing else is found and this share of the longer text is such grams
_MIN_SINGLE_RUN = 8  # letters that agree without a break are grown at once ...
_MAX_SEED_DISTANCE = 40  # ... shorter runs only with another one so few letters before them,
_BAND_BITS = 3  # ... its diagonal in the same or the next band of 2**3 diagonals
# Score: +1 for each letter consumed on either side, -5 a difference: match +2, replaced -3, inserted or deleted -4.
_DIFFERENCE_COST = 5
_MAX_SCORE_DROP = 24  # growth ends this far below the best score
_MAX_DIAGONALS = 128  # diagonals that growth follows at most
_MAX_BLOCKS = 4096  # blocks of one pair
_MAX_DIFFERENCES_PER_LETTER = (
    64  # differences tried, for each letter of the two texts; only texts that repeat themselves come near
)

Array = NDArray[np.int32]


class Blocks(NamedTuple):
    """m blocks by their letters, ends exclusive; all i32[m]. score: about 1.8 bits against chance a unit."""

    page_start: Array
    page_end: Array
    work_start: Array
    work_end: Array
    score: Array


def find_blocks(page: NDArray[np.uint8], work: NDArray[np.uint8], least: int) -> Blocks:
    """Blocks of at least this score. Time and memory grow with the sum of the lengths."""
    swapped = len(page) > len(work)
    short, long = (work, page) if swapped else (page, work)
    if len(short) < SEED_LENGTH:
        return Blocks(*np.empty((5, 0), np.int32))
    found, often = _find_blocks(short, long, least, False)
    if not len(found) and often >= _MIN_REPETITIVE_SHARE * len(long):
        found, _ = _find_blocks(short, long, least, True)
    first, second = found[:, 0:2].T, found[:, 2:4].T
    if swapped:
        first, second = second, first
    return Blocks(first[0], first[1], second[0], second[1], found[:, 4])


def concatenate_blocks(some: Blocks, others: Blocks) -> Blocks:
    """All of them."""
    return Blocks(*(np.concatenate(columns) for columns in zip(some, others, strict=True)))


_TEXT = "Array(u1, 1, 'C', readonly=True)"
_I4 = "i4[::1]"
_HASH_FACTOR = 2654435761  # Knuth's multiplicative hash
_UNREACHED = -2  # in place of a furthest point: nothing reaches this diagonal


@compiled(f"void({_I4}, i8, i8)")
def _move_to_front(row, first, kept):  # type: ignore[no-untyped-def]  # compiled
    """Move so many columns to the front, with an empty one on either side."""
    if first > 1:
        for column in range(kept):
            row[column + 1] = row[first + column]
    row[0] = _UNREACHED
    row[kept + 1] = _UNREACHED


@compiled(f"Tuple((i8, i8, i8, i8))({_TEXT}, i8, {_TEXT}, i8, i8, i4[:,::1])")
def _extend_seed(a, a_from, b, b_from, step, rows):  # type: ignore[no-untyped-def]  # compiled
    """Grow from (a_from, b_from) along `step`: letters of a and of b consumed, score, differences tried."""
    a_room = len(a) - a_from if step > 0 else a_from + 1
    b_room = len(b) - b_from if step > 0 else b_from + 1
    i = 0
    while i < a_room and i < b_room and a[a_from + step * i] == b[b_from + step * i]:
        i += 1
    best, best_i, best_j = 2 * i, i, i
    low = high = 0  # diagonals i - j that the last row holds
    rows[0, 1] = i  # column of diagonal k: k - low + 1, with an empty column on either side
    rows[0, 0] = rows[0, 2] = _UNREACHED
    now = 0
    differences = 0
    while low <= high:
        differences += 1
        old, new = rows[now], rows[1 - now]
        first_kept, last_kept = 1, 0
        for column in range(high - low + 3):
            i = _UNREACHED  # the furthest of a on this diagonal, with one difference more
            if column > 0 and old[column - 1] >= 0:
                i = old[column - 1] + 1  # a letter of a alone
            if old[column] >= 0 and old[column] + 1 > i:
                i = old[column] + 1  # replaced
            if column < high - low + 2 and old[column + 1] > i:
                i = old[column + 1]  # a letter of b alone
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
    """Where grams stand: the last place behind each slot, one up, and how many; before each place the one before, and
    its gram; by how many bits a hash is shifted to its slot.
    """
    n = len(short)
    bits = 10
    while (1 << bits) < 4 * n and bits < 24:
        bits += 1
    shift = 32 - bits
    heads = np.zeros(1 << bits, np.int32)
    sizes = np.zeros(1 << bits, np.uint8)
    following = np.empty(n, np.int32)
    grams = np.empty(n, np.int32)
    code = 0
    for place in range(n):
        code = ((code << CODE_BITS) | short[place]) & _SEED_MASK
        start = place - SEED_LENGTH + 1
        if start < 0:
            continue
        grams[start] = code
        slot = ((code * _HASH_FACTOR) & 0xFFFFFFFF) >> shift
        following[start] = heads[slot]
        heads[slot] = start + 1
        if sizes[slot] < 255:
            sizes[slot] += 1
    return heads, sizes, following, grams, shift


@compiled(f"UniTuple(i8, 2)({_TEXT}, i8, {_TEXT}, i8)")
def _run_lengths(short, i, long, j):  # type: ignore[no-untyped-def]  # compiled
    """How many letters agree without a break before a gram that both have, and from its first letter on."""
    end = SEED_LENGTH
    while i + end < len(short) and j + end < len(long) and short[i + end] == long[j + end]:
        end += 1
    begin = 0
    while i - begin > 0 and j - begin > 0 and short[i - begin - 1] == long[j - begin - 1]:
        begin += 1
    return begin, end


@compiled(f"void({_I4}, i8, i8, i8, i8)")
def _cover_bands(grown_ends, band, last_band, j, grown):  # type: ignore[no-untyped-def]  # compiled
    """Note until where a block covers its bands: it drifts from the first to the last, those between it leaves on the
    way.
    """
    drift = last_band - band
    for passed in range(abs(drift) + 1):
        covered = band + passed if drift > 0 else band - passed
        until = j + grown
        if passed < abs(drift):
            until = min(until, j + grown * (passed + 1) // (abs(drift) + 1) + _MAX_SEED_DISTANCE)
        grown_ends[covered] = max(grown_ends[covered], until)


@compiled("i4[:,::1](i4[:,::1], i8)")
def _ensure_room(found, count):  # type: ignore[no-untyped-def]  # compiled
    """The same blocks, with room for one more."""
    if count < len(found):
        return found
    larger = np.empty((2 * count, 5), np.int32)
    larger[:count] = found
    return larger


@compiled(f"Tuple((i4[:,::1], i8))({_TEXT}, {_TEXT}, i8, b1)")
def _find_blocks(short, long, least, repetitive):  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915  one pass with much state
    """The blocks, and how many grams of the longer text gave no seeds for standing too often in the shorter one.

    repetitive: follow those too, to the last `_MAX_SEED_OCCURRENCES` places each, as far as the effort allows.
    """
    n, m = len(short), len(long)
    heads, sizes, following, grams, shift = _index_grams(short)
    run_ends = np.zeros(n + m + 1, np.int32)  # by diagonal: end, in long, of the last run looked at
    bands = ((n + m) >> _BAND_BITS) + 3
    last_ends = np.full(bands, -_MAX_SEED_DISTANCE - 1, np.int32)  # by band of diagonals: end of the last run
    grown_ends = np.zeros(bands, np.int32)  # by band: end of what a block covers
    rows = np.empty((2, _MAX_DIAGONALS + 4), np.int32)
    found = np.empty((64, 5), np.int32)
    count = often = 0
    effort = _MAX_DIFFERENCES_PER_LETTER * (n + m)
    ahead = explained = 0  # where the last gram stood that a run or block explains, and until where it does
    code = 0
    for place in range(m):
        code = ((code << CODE_BITS) | long[place]) & _SEED_MASK
        j = place - SEED_LENGTH + 1
        if j < 0:
            continue
        slot = ((code * _HASH_FACTOR) & 0xFFFFFFFF) >> shift
        if heads[slot] == 0:
            continue
        if sizes[slot] > _MAX_SEED_OCCURRENCES:
            often += 1
            if not repetitive:
                continue
        link = heads[slot]
        links = _MAX_SEED_OCCURRENCES
        if sizes[slot] == 1 and link == j - ahead + 1 and j < explained:
            continue  # the usual case inside a copy, told at once
        while link > 0 and links > 0:
            i = link - 1
            link = following[i]
            links -= 1
            if grams[i] != code:
                continue
            diagonal = j - i + n
            band = (diagonal >> _BAND_BITS) + 1
            if j < max(run_ends[diagonal], grown_ends[band]):
                ahead = j - i
                explained = run_ends[diagonal] if j < run_ends[diagonal] else grown_ends[band]
                continue
            begin, end = _run_lengths(short, i, long, j)
            if repetitive:
                effort -= begin + end
                if effort < 0:
                    return found[:count].copy(), often
            run_ends[diagonal] = j + end
            near = max(last_ends[band - 1], last_ends[band], last_ends[band + 1])
            last_ends[band] = j + end
            if begin + end < _MIN_SINGLE_RUN and near < j - _MAX_SEED_DISTANCE:
                continue
            if effort < 0 or count >= _MAX_BLOCKS:
                continue
            i_right, j_right, right, right_effort = _extend_seed(short, i, long, j, 1, rows)
            i_left, j_left, left, left_effort = _extend_seed(short, i - 1, long, j - 1, -1, rows)
            effort -= right_effort + left_effort
            _cover_bands(grown_ends, band, ((j + j_right - i - i_right + n) >> _BAND_BITS) + 1, j, j_right)
            if left + right < least:
                continue
            found = _ensure_room(found, count)
            found[count, 0], found[count, 1] = i - i_left, i + i_right
            found[count, 2], found[count, 3] = j - j_left, j + j_right
            found[count, 4] = left + right
            count += 1
    return found[:count].copy(), often
