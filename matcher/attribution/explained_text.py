"""Remove from passages what common texts explain as well as the work does.

A common text is everybody's: a statute, a classic, a form. A stretch of a passage is explained where the common text
has most of the page's initials that the work has. What the work has beyond it remains, as passages of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points
from matcher.alignment.agreement import Gaps, count_sameness, degree_of_change, find_gaps, settle_ends
from matcher.alignment.local_alignment import AlignedPassage
from matcher.model import Passage

MIN_EXPLAINED_INITIALS: Final = 8  # initials of an explained stretch, and of what remains between two of them


class ExplainedPassage(NamedTuple):
    """A stretch of a passage that a common text explains. text: the number of that text."""

    passage: Passage
    text: int


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One of the two texts. codes: i32[k], its agreeing initials. explained: bool[k]. gaps: those of the passage."""

    text: str
    initials: Initials
    agreed: NDArray[np.int32]
    explained: NDArray[np.bool_]
    gaps: Gaps

    def span(self, rows: NDArray[np.int64]) -> tuple[int, int]:
        numbers = self.agreed[rows]
        starts, ends = self.initials.starts[numbers], self.initials.ends[numbers]
        return int(starts.min()), int(ends.max())

    def clip(self, span: tuple[int, int], rows: NDArray[np.int64]) -> tuple[int, int]:
        """Return a span without characters of initials before and behind those of the rows."""
        first, last = int(self.agreed[rows].min()), int(self.agreed[rows].max())
        begin = int(self.initials.ends[first - 1]) if first else 0
        end = int(self.initials.starts[last + 1]) if last + 1 < len(self.initials) else len(self.text)
        return max(span[0], begin), min(span[1], end)

    def letters(self, rows: NDArray[np.int64], left_out: NDArray[np.bool_]) -> int:
        """Count the initials of the span of these rows, but for those that are left out."""
        first, last = int(self.agreed[rows].min()), int(self.agreed[rows].max())
        inside = (self.agreed >= first) & (self.agreed <= last) & left_out
        return last + 1 - first - int(np.count_nonzero(inside))

    def gaps_within(self, span: tuple[int, int], left_out: NDArray[np.bool_]) -> Gaps:
        """List what was not copied inside a span: the gaps of the passage, and the rows that are left out."""
        shared = np.ones(len(self.initials), np.bool_)
        for start, end in self.gaps:
            shared &= (self.initials.starts < start) | (self.initials.starts >= end)
        shared[self.agreed[left_out]] = False
        return find_gaps(self.initials, shared, np.empty(0, np.int32), span)


def subtract_common_texts(
    page_text: str,
    page: Initials,
    work_text: str,
    work: Initials,
    passages: Sequence[AlignedPassage],
    texts: Sequence[Sequence[AlignedPassage]],
) -> tuple[list[AlignedPassage], list[ExplainedPassage]]:
    """Return what remains of the passages of a page and a work, and what was removed.

    texts: the passages that the page shares with each common text. Passages of which none explains anything remain the
    same objects.
    """
    explained_by = np.full(len(page), -1, np.int64)
    for number, text in reversed(list(enumerate(texts))):
        for aligned in text:
            explained_by[aligned.agreed[:, 0]] = number
    remaining: list[AlignedPassage] = []
    removed: list[ExplainedPassage] = []
    for aligned in passages:
        order = np.argsort(aligned.agreed[:, 0], kind="stable")
        agreed = aligned.agreed[order]
        texts_of_rows = explained_by[agreed[:, 0]]
        explained = texts_of_rows >= 0
        if np.count_nonzero(explained) < MIN_EXPLAINED_INITIALS:
            remaining.append(aligned)
            continue
        sides = (
            _Side(page_text, page, agreed[:, 0], explained, aligned.passage.page_gaps),
            _Side(work_text, work, agreed[:, 1], explained, aligned.passage.work_gaps),
        )
        own = [span for span in _own_pieces(explained) if _count_own(explained, span) >= MIN_EXPLAINED_INITIALS]
        for begin, end in own:
            rows = begin + np.flatnonzero(~explained[begin:end])
            remaining.append(_make_part(aligned, sides, rows, explained))
        for begin, end in _between(own, len(explained)):
            for rows in _rows_by_text(texts_of_rows, begin, end):
                part = _make_part(aligned, sides, rows, ~explained)
                removed.append(ExplainedPassage(part.passage, int(texts_of_rows[rows[0]])))
    return sorted(remaining, key=lambda part: part.passage.page_start), removed


def own_stretches(explained: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the stretches with more initials that are the work's own than explained ones.

    They are all maximal scoring subsequences (Ruzzo and Tompa 1999), where an own initial counts 1 and an explained
    one -1.

    >>> own_stretches(np.array([1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0], bool))
    [(3, 8), (12, 13)]
    """
    stretches: list[tuple[int, int, int, int]] = []  # start, end, score before the start, score at the end
    score = 0
    for index, is_explained in enumerate(explained.tolist()):
        before = score
        score += -1 if is_explained else 1
        if is_explained:
            continue
        stretch = (index, index + 1, before, score)
        while True:
            place = next((k for k in range(len(stretches) - 1, -1, -1) if stretches[k][2] < stretch[2]), None)
            if place is None or stretches[place][3] >= stretch[3]:
                break
            stretch = (stretches[place][0], stretch[1], stretches[place][2], stretch[3])
            del stretches[place:]
        stretches.append(stretch)
    return [(start, end) for start, end, _, _ in stretches]


def _count_own(explained: NDArray[np.bool_], span: tuple[int, int]) -> int:
    return span[1] - span[0] - int(np.count_nonzero(explained[span[0] : span[1]]))


def _own_pieces(explained: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the pieces of own stretches between long explained runs."""
    for start, end in own_stretches(explained):
        begin = start
        for first, last in _runs(explained[start:end]):
            if explained[start + first] and last - first >= MIN_EXPLAINED_INITIALS:
                yield begin, start + first
                begin = start + last
        yield begin, end


def _rows_by_text(texts: NDArray[np.int64], begin: int, end: int) -> Iterator[NDArray[np.int64]]:
    """Yield the explained rows of a stretch, those of one text after the other. Short runs belong to nobody."""
    rows = begin + np.flatnonzero(texts[begin:end] >= 0)
    for first, last in _runs(texts[rows]):
        if last - first >= MIN_EXPLAINED_INITIALS:
            yield rows[first:last]


def _runs(values: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield start and end of each run of equal values."""
    return pairwise([0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)] if len(values) else [])


def _between(spans: Sequence[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    """Yield what lies before, between and behind these spans."""
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), length]
    return ((begin, end) for begin, end in zip(ends, starts, strict=True) if begin < end)


def _make_part(
    aligned: AlignedPassage, sides: tuple[_Side, _Side], rows: NDArray[np.int64], left_out: NDArray[np.bool_]
) -> AlignedPassage:
    """Return the part of a passage that has these agreeing initials. left_out: those of the others that it lacks."""
    page, work = sides
    page_letters, work_letters = page.letters(rows, left_out), work.letters(rows, left_out)
    points = np.stack([code_points(side.text)[side.initials.starts[side.agreed[rows]]] for side in sides], axis=1)
    same = points[:, 0] == points[:, 1]
    similarity = min(1.0, 2 * len(rows) / (page_letters + work_letters))
    exact = int(np.count_nonzero(same))
    kinds = [count / len(rows) * similarity for count in count_sameness(len(rows), points[~same])]
    exactness = 0.0 if aligned.out_of_order else exact / len(rows)
    page_span, work_span = settle_ends(page.text, page.span(rows), work.text, work.span(rows))
    if page.initials.in_order:
        page_span, work_span = page.clip(page_span, rows), work.clip(work_span, rows)
    agreed = np.stack([side.agreed[rows] for side in sides], axis=1)
    weight = aligned.weight * len(rows) / max(1, aligned.agreeing)
    return replace(
        aligned,
        passage=Passage(
            page_start=page_span[0],
            page_end=page_span[1],
            work_start=work_span[0],
            work_end=work_span[1],
            similarity=similarity,
            change=degree_of_change(similarity, len(rows) / min(page_letters, work_letters), exactness),
            same_characters=kinds[0],
            variants=kinds[1],
            same_sound=kinds[2],
            page_gaps=page.gaps_within(page_span, left_out),
            work_gaps=work.gaps_within(work_span, left_out),
        ),
        weight=weight,
        letters=min(page_letters, work_letters),
        agreeing=len(rows),
        exact=exact,
        longest_run=_longest_run(agreed, same),
        agreed=agreed,
        backing=weight,
    )


def _longest_run(agreed: NDArray[np.int32], same: NDArray[np.bool_]) -> int:
    """Count the longest run of initials with the same characters that are adjacent in both texts."""
    breaks = np.flatnonzero(~same[1:] | ~same[:-1] | (np.diff(agreed, axis=0) != 1).any(axis=1)) + 1
    bounds = np.concatenate(([0], breaks, [len(same)]))
    return max((int(end - begin) for begin, end in pairwise(bounds) if same[begin]), default=0)
