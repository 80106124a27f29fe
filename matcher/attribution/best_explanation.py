"""Decide which of several works best explains a passage.

A passage may span letters that its work does not have, an advert or a piece of another work; of such letters it
explains nothing, and stands in nobody's way.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.verdict import protected_passages

_MIN_SHARED_LETTERS = 0.7  # share of a passage's letters that another one must have, too, to explain it at all
_MIN_SAME_TEXT_SHARE = (
    0.9  # share of all letters that a work explains which another one must have, too, to hold the same text
)

# One passage beside others of the same page:
_MAX_SMALL_WEIGHT = (
    100.0  # weight; a larger passage stands for itself, and one in Han characters does: terms and code recur more
)
_MIN_OVERLAP_SHARE = 0.7  # share of the page's span that another work must cover ...
_MIN_BETTER_RATIO = 1.5  # ... with so many times the weight to explain it better,
_MIN_DWARFING_RATIO = (
    20.0  # ... or so many times, whatever the passage is: works of one owner share sentences and paragraphs,
)
_MIN_COMMON_WORKS = 8  # ... or so many works with about the same weight, to make it common property


def has_standing_passages(sources: Sequence[Sequence[AlignedPassage]], work_letters: Sequence[int]) -> list[bool]:
    """For each work's passages in one page, whether any stands that opens a case, in view of the other works.

    work_letters: of each whole work.
    """
    spans = _PageSpans(sources)
    return [
        bool(
            protected_passages(
                [passage for passage in passages if _is_standing(passage, spans.over(passage, number))], letters
            )
        )
        for number, (passages, letters) in enumerate(zip(sources, work_letters, strict=True))
    ]


class _PageSpans:
    """What the passages of several works cover on one page."""

    def __init__(self, sources: Sequence[Sequence[AlignedPassage]]) -> None:
        self._all = [passage for passages in sources for passage in passages]
        self._starts = np.array([one.passage.page_start for one in self._all], np.int64)
        self._ends = np.array([one.passage.page_end for one in self._all], np.int64)
        self._owners = np.repeat(np.arange(len(sources)), list(map(len, sources)))

    def over(self, one: AlignedPassage, number: int) -> list[AlignedPassage]:
        """The passages of other works than this one that cover enough of one to explain it."""
        if len(self._all) == 1:
            return []
        start, end = one.passage.page_start, one.passage.page_end
        covered = np.minimum(self._ends, end) - np.maximum(self._starts, start)
        enough = (covered >= _MIN_OVERLAP_SHARE * (end - start)) & (self._owners != number)
        return [self._all[at] for at in np.flatnonzero(enough)]


def _is_standing(one: AlignedPassage, rivals: Sequence[AlignedPassage]) -> bool:
    """Whether a passage is neither better explained by those of other works that cover it nor common property."""
    better = _MIN_BETTER_RATIO if not one.han and one.weight < _MAX_SMALL_WEIGHT else _MIN_DWARFING_RATIO
    explained = any(other.backing >= better * one.weight and explains_passage(other, one) for other in rivals)
    alike = sum(1 for other in rivals if other.weight >= one.weight / _MIN_BETTER_RATIO)
    return not explained and alike < _MIN_COMMON_WORKS


def explains_passage(other: AlignedPassage, one: AlignedPassage) -> bool:
    """Whether a passage of another work has most of the letters of the page that this one has."""
    return _share_explained([one], _mark_explained([other], [one])) >= _MIN_SHARED_LETTERS


def works_with_same_text(works: Sequence[Sequence[AlignedPassage]]) -> list[list[int]]:
    """For the passages of each work in one page, the numbers of the works that hold the same text."""
    explained = [_mark_explained(work, *works) for work in works]
    return [
        [
            number
            for number, theirs in enumerate(explained)
            if works[number] is not work and _share_explained(work, theirs) >= _MIN_SAME_TEXT_SHARE
        ]
        for work in works
    ]


def _mark_explained(passages: Sequence[AlignedPassage], *others: Sequence[AlignedPassage]) -> NDArray[np.bool_]:
    """Which letters of the page these passages have, as far as any of these and the others reaches."""
    found = np.zeros(
        max((int(one.agreed[:, 0].max(initial=-1)) + 1 for each in (passages, *others) for one in each), default=0),
        np.bool_,
    )
    for passage in passages:
        found[passage.agreed[:, 0]] = True
    return found


def _share_explained(passages: Sequence[AlignedPassage], explained: NDArray[np.bool_]) -> float:
    has = [explained[passage.agreed[:, 0]] for passage in passages]
    letters = sum(map(len, has))
    return sum(int(np.count_nonzero(each)) for each in has) / letters if letters else 0.0
