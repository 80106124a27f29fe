"""Join copied passages between which a page shortens a work.

A page that leaves out a clause of the work, and puts little in its place, abridges one passage. The alignment keeps the
two apart, as each has to be a copy by itself. So they are joined when all is judged, and what lies between is a gap.
"""

from collections.abc import Iterable

import numpy as np

from matcher.alignment.agreement import degree_of_change
from matcher.alignment.local_alignment import AlignedPassage
from matcher.model import Passage

_MAX_PUT_IN, _MAX_LEFT_OUT = 30, 64  # code points between two passages, on the page and in the work

Gap = tuple[int, int]


def join_abridged(passages: Iterable[AlignedPassage]) -> tuple[AlignedPassage, ...]:
    """Join neighbours between which the page shortens the work. passages: in the order of the page."""
    joined: list[AlignedPassage] = []
    for passage in passages:
        if joined and _is_abridged(joined[-1], passage):
            joined[-1] = _merge(joined[-1], passage)
        else:
            joined.append(passage)
    return tuple(joined)


def _is_abridged(first: AlignedPassage, second: AlignedPassage) -> bool:
    """Whether little lies between two passages on either side. What is longer than the shorter one is no clause."""
    if first.out_of_order or second.out_of_order:
        return False
    put_in = second.passage.page_start - first.passage.page_end
    left_out = second.passage.work_start - first.passage.work_end
    return 0 <= put_in <= _MAX_PUT_IN and 0 <= left_out <= min(_MAX_LEFT_OUT, first.letters, second.letters)


def _merge(first: AlignedPassage, second: AlignedPassage) -> AlignedPassage:
    """Return one passage of two. Its figures are those of both, over the text between them too."""
    a, b = first.passage, second.passage
    page_gap, work_gap = (a.page_end, b.page_start), (a.work_end, b.work_start)
    between = [end - start for start, end in (page_gap, work_gap)]
    sizes = [_size(each) for each in (first, second)]
    size = sum(sizes) + sum(between)

    def mean(values: tuple[float | None, float | None]) -> float:
        return sum((value or 0.0) * of for value, of in zip(values, sizes, strict=True)) / size

    agreeing, exact = first.agreeing + second.agreeing, first.exact + second.exact
    letters = first.letters + second.letters + min(between)
    similarity = mean((a.similarity, b.similarity))
    passage = Passage(
        page_start=a.page_start,
        page_end=b.page_end,
        work_start=a.work_start,
        work_end=b.work_end,
        similarity=similarity,
        change=degree_of_change(similarity, agreeing / letters, exact / max(1, agreeing)),
        same_characters=mean((a.same_characters, b.same_characters)),
        variants=mean((a.variants, b.variants)),
        same_sound=mean((a.same_sound, b.same_sound)),
        page_gaps=_join_gaps(a.page_gaps, page_gap, b.page_gaps),
        work_gaps=_join_gaps(a.work_gaps, work_gap, b.work_gaps),
        page_characters=_add(a.page_characters, b.page_characters),
        work_characters=_add(a.work_characters, b.work_characters),
    )
    return AlignedPassage(
        passage,
        first.weight + second.weight,
        letters,
        agreeing,
        exact,
        max(first.longest_run, second.longest_run),
        first.han and second.han,
        agreed=np.concatenate((first.agreed, second.agreed)),
        backing=max(first.backing, second.backing, first.weight + second.weight),
    )


def _size(aligned: AlignedPassage) -> float:
    """Return the initials of both sides of a passage."""
    similarity = aligned.passage.similarity
    return 2 * aligned.agreeing / similarity if similarity else 2.0 * aligned.letters


def _join_gaps(before: tuple[Gap, ...], between: Gap, behind: tuple[Gap, ...]) -> tuple[Gap, ...]:
    return (*before, *((between,) if between[0] < between[1] else ()), *behind)


def _add(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
