"""Two texts compared closely: which passages they share, to the character, in any order."""

from dataclasses import dataclass

import numpy as np

from fingerprinter.letters import Letters
from matcher.agreement import agreement
from matcher.blocks import Blocks, find_blocks
from matcher.boundaries import settle_ends
from matcher.passages import Stretch, block_weights, stretches
from store.records import Change, Passage

_LEAST_BLOCK = 16  # score of the smallest block: eight letters
LEAST_WEIGHT = 24  # letters that a passage must agree in
_VERBATIM = 0.97  # letters and characters that agree, above which a passage counts as unchanged
_LIGHT = 0.75  # letters that agree, above which it counts as lightly changed


@dataclass(frozen=True, slots=True)
class Aligned:
    """A passage and what was counted in it.

    weight: letters that agree less what differences cost, a Latin letter or digit counting less than a Han one. agreeing, exact: letters of
    the page that agree, and those of them that are the same character. longest_run: code points of the page without a change.
    """

    passage: Passage
    weight: float
    agreeing: int
    exact: int
    longest_run: int


def align(
    page_text: str, page: Letters, work_text: str, work: Letters, *, least: float = LEAST_WEIGHT
) -> list[Aligned]:
    """The passages that two texts share, in the order of the page. Time grows with the sum of their lengths."""
    blocks = find_blocks(page.codes, work.codes, _LEAST_BLOCK)
    if not len(blocks.score):
        return []
    weights = block_weights(blocks, page.codes)
    found = [one for one in stretches(blocks, weights, (len(page), len(work))) if one.weight >= least]
    return [_aligned(page_text, page, work_text, work, blocks, one) for one in found]


def _aligned(page_text: str, page: Letters, work_text: str, work: Letters, blocks: Blocks, stretch: Stretch) -> Aligned:
    inside = Blocks(*(column[stretch.blocks] for column in blocks))
    page_points = np.frombuffer(page_text.encode("utf-32-le", "surrogatepass"), np.uint32)
    work_points = np.frombuffer(work_text.encode("utf-32-le", "surrogatepass"), np.uint32)
    counted = agreement(page.codes, page_points[page.starts], work.codes, work_points[work.starts], inside)
    agreeing, exact = int(counted.letters.sum()), int(counted.characters.sum())
    letters = stretch.page_end - stretch.page_start + stretch.work_end - stretch.work_start
    similarity = min(1.0, 2 * agreeing / letters)
    page_span = page.span(stretch.page_start, stretch.page_end)
    work_span = work.span(stretch.work_start, stretch.work_end)
    page_span, work_span = settle_ends(page_text, page_span, work_text, work_span)
    longest = int(counted.longest.argmax())
    length = int(counted.longest[longest])
    first = int(counted.longest_start[longest])
    run = page.span(first, first + length) if length else (0, 0)
    return Aligned(
        Passage(
            page_start=page_span[0],
            page_end=page_span[1],
            work_start=work_span[0],
            work_end=work_span[1],
            similarity=similarity,
            change=_change(similarity, exact / max(1, agreeing)),
        ),
        stretch.weight,
        agreeing,
        exact,
        run[1] - run[0],
    )


def _change(similarity: float, exactness: float) -> Change:
    if similarity >= _VERBATIM and exactness >= _VERBATIM:
        return Change.VERBATIM
    return Change.LIGHT if similarity >= _LIGHT else Change.REWRITTEN
