"""A passage that is interrupted again and again: padded with idle clauses, or one of which sentences are left out.

Between two pieces lie whole clauses or sentences of the one text, and next to nothing of the other one.
"""

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.passages import Stretch, together
from matcher.alignment.weights import Floats

# What may lie between two pieces on the page or in the work, told as in `weights`, ...
_PADDING, _SENTENCE = 80.0, 120.0
_PADDED = 30.0  # ... and on the work's side where the page is padded: clauses too short to be pieces, names changed;
_LEFT_OUT = 8.0  # or on the page's, where whole sentences of the work are left out
_OVERLAP = 12.0  # that pieces may have in the work: they grow into what follows
_PADDED_PIECES, _PADDED_SHARE = 4, 0.5  # pieces of a padded passage, and how much of the work they make up together
_LEFT_OUT_PIECES, _LEFT_OUT_SHARE = 2, 0.85  # the same where sentences are left out, and of the page
_FUZZ = 1  # letters beside a break where a piece may begin or end

_Breaks = NDArray[np.bool_]


def whole_again(
    parts: list[Stretch], page_told: Floats, work_told: Floats, work_breaks: NDArray[np.bool_]
) -> list[Stretch]:
    """The stretches, those that were one passage joined. parts: in the order of the page.

    *_told as in `matcher.alignment.weights`. work_breaks: bool[n + 1], whether a sentence ends before each letter.
    """
    chains: list[list[Stretch]] = []
    for part in parts:
        if chains and _goes_on(chains[-1][-1], part, page_told, work_told, work_breaks):
            chains[-1].append(part)
        else:
            chains.append([part])
    return [one for chain in chains for one in _one_passage(chain, page_told, work_told)]


def _goes_on(a: Stretch, b: Stretch, page_told: Floats, work_told: Floats, work_breaks: _Breaks) -> bool:
    on_page, in_work = page_told[b.page_start] - page_told[a.page_end], work_told[b.work_start] - work_told[a.work_end]
    if in_work < -_OVERLAP or b.work_end <= a.work_end:
        return False
    sentences = _breaks(work_breaks, a.work_end) and _breaks(work_breaks, b.work_start)
    left_out = on_page <= _LEFT_OUT and in_work <= _SENTENCE and sentences
    return bool(left_out or (on_page <= _PADDING and in_work <= _PADDED))


def _breaks(breaks: _Breaks, letter: int) -> bool:
    return bool(breaks[max(0, letter - _FUZZ) : letter + _FUZZ + 1].any())


def _one_passage(chain: list[Stretch], page_told: Floats, work_told: Floats) -> list[Stretch]:
    whole = reduce(together, chain)
    of_page = page_told[whole.page_end] - page_told[whole.page_start]
    of_work = work_told[whole.work_end] - work_told[whole.work_start]
    padded = len(chain) >= _PADDED_PIECES and whole.weight >= _PADDED_SHARE * of_work
    left_out = len(chain) >= _LEFT_OUT_PIECES and whole.weight >= _LEFT_OUT_SHARE * of_page
    return [whole] if padded or left_out else chain
