"""Decide which of several works best explains a passage.

A passage may span initials that its work does not have: an advert, or a piece of another work. It does not explain
these initials, and blocks no other work there.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS, protected_passages

_MIN_SHARED_INITIALS = 0.7  # share of a passage's initials that a passage must have to explain it
_MIN_SAME_TEXT_SHARE = 0.9  # share of a work's explained initials that another work with the same text has

# One passage beside others of the same page:
_MAX_SMALL_WEIGHT = 100.0  # larger passages stand alone, and so do Han ones, as terms and code recur more
_MIN_OVERLAP_SHARE = 0.7  # share of the page's span that another work must cover
_MIN_BETTER_RATIO = 1.5  # ratio of weights from which another work explains a small passage better
_MIN_DWARFING_RATIO = 20.0  # the same for any passage, as works of one owner share sentences and paragraphs
_MIN_COMMON_WORKS = 8  # works of about the same weight from which a passage is common text


def has_standing_passages(
    sources: Sequence[Sequence[AlignedPassage]], work_letters: Sequence[int], shortest: Sequence[int] | None = None
) -> list[bool]:
    """Whether each work keeps a passage that opens a case, beside the other works.

    work_letters: initials of each whole work. shortest: initials of the shortest passage of each.
    """
    spans = _PageSpans(sources)
    shortest = shortest or [MAX_QUOTATION_INITIALS] * len(sources)
    return [
        bool(
            protected_passages(
                [passage for passage in passages if _is_standing(passage, spans.rivals_of(passage, number))],
                initials,
                least,
            )
        )
        for number, (passages, initials, least) in enumerate(zip(sources, work_letters, shortest, strict=True))
    ]


class _PageSpans:
    """Spans of the passages of several works on one page."""

    def __init__(self, sources: Sequence[Sequence[AlignedPassage]]) -> None:
        self._all = [passage for passages in sources for passage in passages]
        self._starts = np.array([passage.passage.page_start for passage in self._all], np.int64)
        self._ends = np.array([passage.passage.page_end for passage in self._all], np.int64)
        self._owners = np.repeat(np.arange(len(sources)), list(map(len, sources)))

    def rivals_of(self, passage: AlignedPassage, number: int) -> list[AlignedPassage]:
        """Return the passages of other works that cover enough of this one to explain it."""
        if len(self._all) == 1:
            return []
        start, end = passage.passage.page_start, passage.passage.page_end
        covered = np.minimum(self._ends, end) - np.maximum(self._starts, start)
        covers = (covered >= _MIN_OVERLAP_SHARE * (end - start)) & (self._owners != number)
        return [self._all[index] for index in np.flatnonzero(covers)]


def _is_standing(passage: AlignedPassage, rivals: Sequence[AlignedPassage]) -> bool:
    """Whether no passage that covers this one explains it better, and it is no common text."""
    better = _MIN_BETTER_RATIO if not passage.han and passage.weight < _MAX_SMALL_WEIGHT else _MIN_DWARFING_RATIO
    explained = any(other.backing >= better * passage.weight and explains_passage(other, passage) for other in rivals)
    alike = sum(1 for other in rivals if other.weight >= passage.weight / _MIN_BETTER_RATIO)
    return not explained and alike < _MIN_COMMON_WORKS


def explains_passage(other: AlignedPassage, passage: AlignedPassage) -> bool:
    """Whether a passage of another work has most of this passage's initials of the page."""
    return _share_explained([passage], _mark_explained([other], [passage])) >= _MIN_SHARED_INITIALS


def works_with_same_text(works: Sequence[Sequence[AlignedPassage]]) -> list[list[int]]:
    """For the passages of each work in one page, return the numbers of the works with the same text."""
    explained = [_mark_explained(work, *works) for work in works]
    return [
        [
            number
            for number, other_explained in enumerate(explained)
            if works[number] is not work and _share_explained(work, other_explained) >= _MIN_SAME_TEXT_SHARE
        ]
        for work in works
    ]


def _mark_explained(passages: Sequence[AlignedPassage], *others: Sequence[AlignedPassage]) -> NDArray[np.bool_]:
    """Mark the initials of the page in these passages, up to the last one of these and the others."""
    marks = np.zeros(
        max(
            (int(passage.agreed[:, 0].max(initial=-1)) + 1 for group in (passages, *others) for passage in group),
            default=0,
        ),
        np.bool_,
    )
    for passage in passages:
        marks[passage.agreed[:, 0]] = True
    return marks


def _share_explained(passages: Sequence[AlignedPassage], explained: NDArray[np.bool_]) -> float:
    marks = [explained[passage.agreed[:, 0]] for passage in passages]
    initials = sum(map(len, marks))
    return sum(int(np.count_nonzero(mark)) for mark in marks) / initials if initials else 0.0
