"""Match look-alike characters where the characters around them are equal.

A seed is a pair of adjacent characters that both texts have. It is extended along its diagonal, on which a look-alike
counts as a match. There the page's letter takes the value of the work's.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprinter.compiled import compiled
from fingerprinter.normalize.look_alikes import has_pair, look_alike_pairs
from matcher.alignment.word_reordering import shared_bigrams

_MATCH, _MISMATCH = 2, -3  # as in `seed_and_extend`
_MAX_SCORE_DROP = 16
_MIN_SCORE = 16  # score of a diagonal with eight characters that are equal or look alike
_CODES, _POINTS = "Array(u1, 1, 'C', readonly=True)", "Array(u4, 1, 'C', readonly=True)"

Codes = NDArray[np.uint8]
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
    changed = _fill(filled, page, page_points, work, work_points, *seeds, look_alike_pairs())
    return filled if changed else None


@compiled(f"Tuple((i8, i8))({_CODES}, {_POINTS}, i8, {_CODES}, {_POINTS}, i8, i8, {_POINTS})")
def _grow(page, page_points, i, work, work_points, j, step, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Extend along a diagonal from (i, j). Return the letters consumed and the score of the best end."""
    score = best = consumed = length = 0
    while 0 <= i < len(page) and 0 <= j < len(work) and score >= best - _MAX_SCORE_DROP:
        length += 1
        same = page_points[i] == work_points[j] or has_pair(page_points[i], work_points[j], pairs)
        if same or page[i] != work[j]:  # another character with the same initial scores nothing
            score += _MATCH if same else _MISMATCH
        if score > best:
            best, consumed = score, length
        i += step
        j += step
    return consumed, best


@compiled(f"i8(u1[::1], {_CODES}, {_POINTS}, {_CODES}, {_POINTS}, i4[::1], i4[::1], {_POINTS})")
def _fill(filled, page, page_points, work, work_points, on_page, in_work, pairs):  # type: ignore[no-untyped-def]  # compiled
    """Fill the page's codes from the work. Return the number of changed codes."""
    scores = np.zeros(len(page), np.int64)  # score of the diagonal that filled each letter
    grown = np.full(len(page) + len(work) + 1, -1, np.int64)  # by diagonal: end of the extension on the page
    changed = 0
    for seed in range(len(on_page)):
        i, j = np.int64(on_page[seed]), np.int64(in_work[seed])
        diagonal = j - i + len(page)
        if grown[diagonal] >= i:
            continue
        right, right_score = _grow(page, page_points, i, work, work_points, j, 1, pairs)
        left, left_score = _grow(page, page_points, i - 1, work, work_points, j - 1, -1, pairs)
        grown[diagonal] = i + right
        score = right_score + left_score
        if score < _MIN_SCORE:
            continue
        for step in range(-left, right):
            place = i + step
            if page[place] == work[j + step] or scores[place] >= score:
                continue
            if has_pair(page_points[place], work_points[j + step], pairs):
                scores[place] = score
                filled[place] = work[j + step]
                changed += 1
    return changed
