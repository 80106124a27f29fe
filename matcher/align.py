"""Two texts compared closely: which passages they share, to the character, in any order."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprinter.letters import LATIN_A, Letters
from matcher.agreement import agreement
from matcher.blocks import Blocks, find_blocks
from matcher.boundaries import settle_ends
from matcher.fringe import widen
from matcher.passages import Stretch, stretches, told
from store.records import Change, Passage

_LEAST_BLOCK = 16  # score of the smallest block: eight letters
LEAST_WEIGHT = 18.0  # of a passage: letters that agree, less what differences cost
_VERBATIM = 0.97  # share of letters and of characters that agree, from which a passage counts as unchanged
_LIGHT = 0.75  # share of letters that agree, from which it counts as lightly changed


@dataclass(frozen=True, slots=True)
class Aligned:
    """A passage and what was counted in it.

    weight: letters that agree less what differences cost, a Latin letter or digit counting less than a Han one.
    agreeing, exact: letters of the page that agree, and those of them that are the same character.
    longest_run: code points of the page without a change. han: whether Han characters tell most of it, not Latin words.
    """

    passage: Passage
    weight: float
    agreeing: int
    exact: int
    longest_run: int
    han: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the two texts: as it is, its letters, and the code point of each letter."""

    text: str
    letters: Letters
    points: NDArray[np.uint32]

    @classmethod
    def of(cls, text: str, letters: Letters) -> "_Side":
        return cls(text, letters, np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)[letters.starts])

    def taken(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which letters lie in any of these blocks."""
        changes = np.zeros(len(self.letters) + 1, np.int32)
        np.add.at(changes, starts, 1)
        np.add.at(changes, ends, -1)
        inside: NDArray[np.bool_] = np.cumsum(changes[:-1]) > 0
        return inside


def align(page_text: str, page: Letters, work_text: str, work: Letters) -> list[Aligned]:
    """The passages that two texts share, in the order of the page. Time grows with the sum of their lengths."""
    blocks = find_blocks(page.codes, work.codes, _LEAST_BLOCK)
    if not len(blocks.score):
        return []
    found = [one for one in stretches(blocks, told(page.codes), told(work.codes)) if one.weight >= LEAST_WEIGHT]
    if not found:
        return []
    kept = Blocks(*(column[np.concatenate([one.blocks for one in found])] for column in blocks))
    sides = _Side.of(page_text, page), _Side.of(work_text, work)
    taken = sides[0].taken(kept.page_start, kept.page_end), sides[1].taken(kept.work_start, kept.work_end)
    return [_aligned(*sides, *taken, blocks, one) for one in found]


def _aligned(
    page: _Side,
    work: _Side,
    page_taken: NDArray[np.bool_],
    work_taken: NDArray[np.bool_],
    blocks: Blocks,
    stretch: Stretch,
) -> Aligned:
    inside = Blocks(*(column[stretch.blocks] for column in blocks))
    counted = agreement(page.letters.codes, page.points, work.letters.codes, work.points, inside)
    agreeing, exact = int(counted.letters.sum()), int(counted.characters.sum())
    page_start, page_end, work_start, work_end = widen(
        page.letters.codes,
        page.points,
        page_taken,
        work.letters.codes,
        work.points,
        work_taken,
        (stretch.page_start, stretch.page_end, stretch.work_start, stretch.work_end),
    )
    similarity = min(1.0, 2 * agreeing / (page_end - page_start + work_end - work_start))
    page_span, work_span = settle_ends(
        page.text, page.letters.span(page_start, page_end), work.text, work.letters.span(work_start, work_end)
    )
    passage = Passage(
        page_start=page_span[0],
        page_end=page_span[1],
        work_start=work_span[0],
        work_end=work_span[1],
        similarity=similarity,
        change=_change(similarity, exact / max(1, agreeing)),
    )
    longest = int(counted.longest.argmax())
    first, length = int(counted.longest_start[longest]), int(counted.longest[longest])
    run = page.letters.span(first, first + length) if length else (0, 0)
    return Aligned(passage, stretch.weight, agreeing, exact, run[1] - run[0], _mostly_han(page.letters.codes, inside))


def _mostly_han(page: NDArray[np.uint8], blocks: Blocks) -> bool:
    codes = np.concatenate([page[start:end] for start, end in zip(blocks.page_start, blocks.page_end, strict=True)])
    return bool(2 * np.count_nonzero(codes < LATIN_A) >= told(codes)[-1])


def _change(similarity: float, exactness: float) -> Change:
    if similarity >= _VERBATIM and exactness >= _VERBATIM:
        return Change.VERBATIM
    return Change.LIGHT if similarity >= _LIGHT else Change.REWRITTEN
