"""Fill blanks and look-alike characters of a page's reading from a work, where the letters around them agree.

Seeds of blanks are spaced: five letters of the reading, with the blanks between them left open (Ma, Tromp and Li,
"PatternHunter", 2002). A seed grows along its diagonal, on which a blank counts for nothing. A seed of look-alikes is a
pair of adjacent characters that both texts have. On its diagonal a look-alike counts as a match. There the page's
letter takes the value of the work's.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import CODE_BITS
from fingerprinter.compiled import compiled
from fingerprinter.normalize.character_shapes import (
    gather_buckets,
    has_pair,
    look_alike_buckets,
    look_alike_marks,
    look_alike_pairs,
    may_have_pair,
)
from matcher.alignment.word_reordering import shared_bigrams
from matcher.retrieval.page_readings import BLANK

_SEED_LETTERS = 5
_MAX_SEED_SPAN = 16  # letters from the first to the last of a seed
_MAX_SEED_OCCURRENCES = 16  # of a seed in the work, the last ones
_MATCH, _MISMATCH = 2, -3  # as in `seed_and_extend`
_MAX_SCORE_DROP = 16
_MIN_SCORE = 20  # of a diagonal, in which ten letters agree
_MAX_SHAPES = 16  # arrangements of letters and blanks in a seed: as many as letters between two changes
_MIN_TABLE_BITS, _MAX_TABLE_BITS = 10, 22
_SLOTS_PER_SEED = 8
_UNASKED = -1
_HASH_FACTOR = 2654435761

Codes = NDArray[np.uint8]


def fill_blanks(page: Codes, work: Codes) -> Codes:
    """Return the codes of a reading with its blanks filled by the letters of a work that stand there: u8[n].

    page: codes, `BLANK` at blanks. Blanks beside which the texts do not agree remain.
    """
    filled: Codes = _fill(page, work)
    return filled


@compiled("i8(u1[::1], i8, i8[::1])")
def _seed_shape(page, begin, offsets):  # type: ignore[no-untyped-def]  # compiled
    """Fill the offsets of the letters of the seed that begins there. Return its shape as a number, 0 for none."""
    if page[begin] == BLANK:
        return 0
    count = 0
    shape = 0
    for step in range(min(_MAX_SEED_SPAN, len(page) - begin)):
        if page[begin + step] != BLANK:
            offsets[count] = step
            shape |= 1 << step
            count += 1
            if count == _SEED_LETTERS:
                return shape
    return 0


@compiled("void(Array(u1, 1, 'C', readonly=True), i8[::1], i4[::1])")
def _pack_seeds(codes, offsets, seeds):  # type: ignore[no-untyped-def]  # compiled
    """Fill in the letters at these offsets behind each begin. Written out, so that the loop is vectorized."""
    second, third = codes[offsets[1] :], codes[offsets[2] :]
    fourth, fifth = codes[offsets[3] :], codes[offsets[4] :]
    for begin in range(len(fifth)):
        seed = (np.int32(codes[begin]) << CODE_BITS) | np.int32(second[begin])
        seed = (seed << CODE_BITS) | np.int32(third[begin])
        seed = (seed << CODE_BITS) | np.int32(fourth[begin])
        seeds[begin] = (seed << CODE_BITS) | np.int32(fifth[begin])


@compiled("Tuple((i8, i8))(u1[::1], i8, Array(u1, 1, 'C', readonly=True), i8, i8)")
def _grow(page, i, work, j, step):  # type: ignore[no-untyped-def]  # compiled
    """Grow along a diagonal from (i, j). Return the letters consumed and the score of the best end."""
    score = best = consumed = length = 0
    while 0 <= i < len(page) and 0 <= j < len(work) and score >= best - _MAX_SCORE_DROP:
        length += 1
        if page[i] != BLANK:
            score += _MATCH if page[i] == work[j] else _MISMATCH
            if score > best:
                best, consumed = score, length
        i += step
        j += step
    return consumed, best


@compiled("u1[::1](Array(u1, 1, 'C', readonly=True), Array(u1, 1, 'C', readonly=True))")
def _fill(page, work):  # type: ignore[no-untyped-def]  # noqa: PLR0912  one pass with much state
    n, m = len(page), len(work)
    filled = page.copy()
    own = page.copy()
    scores = np.zeros(n, np.int64)  # of the diagonal that filled each letter
    grown = np.full(n + m + 1, -1, np.int64)  # by diagonal: end on the page of what was grown
    shapes = np.zeros(n, np.int64)
    seen = np.zeros(1 << _MAX_SEED_SPAN, np.bool_)
    offsets = np.empty(_SEED_LETTERS, np.int64)
    for begin in range(n):
        shapes[begin] = _seed_shape(own, begin, offsets)
        seen[shapes[begin]] = True
    seen[0] = seen[(1 << _SEED_LETTERS) - 1] = False  # none, and a seed without a blank
    page_seeds, work_seeds = np.empty(n, np.int32), np.empty(m, np.int32)
    heads = np.empty(max(1 << _MIN_TABLE_BITS, 2 * _SLOTS_PER_SEED * n), np.int32)
    following = np.empty(m, np.int32)
    for shape in np.flatnonzero(seen)[:_MAX_SHAPES]:
        places = np.flatnonzero(shapes == shape)
        _seed_shape(own, places[0], offsets)
        _pack_seeds(own, offsets, page_seeds)
        _pack_seeds(work, offsets, work_seeds)
        bits = _MIN_TABLE_BITS
        while (1 << bits) < _SLOTS_PER_SEED * len(places) and bits < _MAX_TABLE_BITS:
            bits += 1
        # Only seeds of the work whose slot a seed of the page asks for are entered.
        heads[: 1 << bits] = _UNASKED
        for i in places:
            heads[(page_seeds[i] * _HASH_FACTOR & 0xFFFFFFFF) >> (32 - bits)] = 0
        for first in range(m - offsets[-1]):
            slot = (work_seeds[first] * _HASH_FACTOR & 0xFFFFFFFF) >> (32 - bits)
            if heads[slot] != _UNASKED:
                following[first] = heads[slot]
                heads[slot] = first + 1
        for i in places:
            seed = page_seeds[i]
            link = heads[(seed * _HASH_FACTOR & 0xFFFFFFFF) >> (32 - bits)]
            occurrences = 0
            while link > 0 and occurrences < _MAX_SEED_OCCURRENCES:
                j = np.int64(link) - 1
                link = following[j]
                if work_seeds[j] != seed:
                    continue
                occurrences += 1
                if grown[j - i + n] >= i:
                    continue
                right, right_score = _grow(own, i, work, j, 1)
                left, left_score = _grow(own, i - 1, work, j - 1, -1)
                grown[j - i + n] = i + right
                score = right_score + left_score
                if score < _MIN_SCORE:
                    continue
                for step in range(-left, right):
                    if own[i + step] == BLANK and scores[i + step] < score:
                        scores[i + step] = score
                        filled[i + step] = work[j + step]
    return filled


_MIN_LOOK_ALIKE_SCORE = 16  # score of a diagonal with eight characters that are equal or look alike
_CODES, _POINTS = "Array(u1, 1, 'C', readonly=True)", "Array(u4, 1, 'C', readonly=True)"

Points = NDArray[np.uint32]


def fill_look_alikes(page: Codes, page_points: Points, work: Codes, work_points: Points) -> Codes | None:
    """Replace the page's codes of look-alikes by the work's: u8[n]. Return None if that changes nothing.

    page, work: codes. *_points: the code point of each.
    """
    swapped = len(page_points) > len(work_points)
    short, long = (work_points, page_points) if swapped else (page_points, work_points)
    on_short, on_long = shared_bigrams(short, long)
    seeds = (on_long, on_short) if swapped else (on_short, on_long)
    filled = page.copy()
    table = gather_buckets(page_points, look_alike_buckets()), look_alike_pairs(), look_alike_marks()
    changed = _fill_look_alikes(filled, page, page_points, work, work_points, *seeds, *table)
    return filled if changed else None


@compiled(f"i8(u1[::1], {_CODES}, {_POINTS}, {_CODES}, {_POINTS}, i4[::1], i4[::1], u8[::1], {_POINTS}, {_CODES})")
def _fill_look_alikes(  # type: ignore[no-untyped-def]  # noqa: PLR0912  one pass with much state
    filled, page, page_points, work, work_points, on_page, in_work, buckets, pairs, marks
):
    """Fill the page's codes from the work. Return the number of changed codes."""
    scores = np.zeros(len(page), np.int64)  # score of the diagonal that filled each letter
    grown = np.full(len(page) + len(work) + 1, -1, np.int64)  # by diagonal: end of the extension on the page
    changed = 0
    for seed in range(len(on_page)):
        i, j = np.int64(on_page[seed]), np.int64(in_work[seed])
        diagonal = j - i + len(page)
        if grown[diagonal] >= i:
            continue
        # Both ends grow in this loop, as a call takes longer than most of them last.
        score = right = left = 0
        for step in (1, -1):
            at, there = (i, j) if step > 0 else (i - 1, j - 1)
            reached = best = length = consumed = 0
            room = min(len(page) - at, len(work) - there) if step > 0 else min(at, there) + 1
            while length < room and reached >= best - _MAX_SCORE_DROP:
                mine, theirs = page_points[at], work_points[there]
                # Few pairs of characters pass the cheap test.
                if mine == theirs or (may_have_pair(buckets[at], theirs) and has_pair(mine, theirs, pairs, marks)):
                    reached += _MATCH
                elif page[at] != work[there]:  # another character with the same initial scores nothing
                    reached += _MISMATCH
                length += 1
                at += step
                there += step
                if reached > best:
                    best, consumed = reached, length
            score += best
            if step > 0:
                right = consumed
            else:
                left = consumed
        grown[diagonal] = i + right
        if score < _MIN_LOOK_ALIKE_SCORE:
            continue
        for step in range(-left, right):
            place = i + step
            if page[place] == work[j + step] or scores[place] >= score:
                continue
            if has_pair(page_points[place], work_points[j + step], pairs, marks):
                scores[place] = score
                filled[place] = work[j + step]
                changed += 1
    return changed
