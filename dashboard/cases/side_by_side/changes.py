"""What was done inside a passage, run by run, as stretches that a text can be cut at."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from dashboard.cases.side_by_side.panes import GAP, Piece, Span, pieces
from matcher.alignment.edits import Edit, EditKind, between
from store.records import Passage

MEET: Final = 300  # characters of a passage, about, from one place at which both texts meet to the next

_AGREEING: Final = frozenset({"", EditKind.SAME, EditKind.SAME_SOUND, EditKind.VARIANT})


class Sides(NamedTuple):
    """The stretches of one passage, or of many, on either side."""

    page: list[Span]
    work: list[Span]


def typed(page_text: str, work_text: str, passages: Iterable[tuple[int, Passage]]) -> Sides:
    """The runs of these numbered passages in code points of both texts; what lies outside a text is cut off."""
    sides = Sides([], [])
    meetings = count(1)
    for number, passage in passages:
        page_at, work_at = max(0, passage.page_start), max(0, passage.work_start)
        runs = between(page_text[page_at : passage.page_end], work_text[work_at : passage.work_end])
        for run, meets in _meeting(runs):
            meet = next(meetings) if meets else None
            on_page = Span(number, page_at + run.page_start, page_at + run.page_end, run.kind, meet)
            on_work = Span(number, work_at + run.work_start, work_at + run.work_end, run.kind, meet)
            sides.page.extend(_without_gaps(on_page, passage.page_gaps))
            sides.work.extend(_without_gaps(on_work, passage.work_gaps))
        if not runs:  # it keeps its place, so that its number stands on both sides
            sides.page.append(Span(number, page_at, page_at, EditKind.SAME))
            sides.work.append(Span(number, work_at, work_at, EditKind.SAME))
    return sides


def whole(passages: Iterable[tuple[int, Passage]]) -> Sides:
    """The passages without a look inside, but for their gaps, for when one of the texts is missing."""
    sides = Sides([], [])
    for number, one in passages:
        sides.page.extend(_without_gaps(Span(number, one.page_start, one.page_end, ""), one.page_gaps))
        sides.work.extend(_without_gaps(Span(number, one.work_start, one.work_end, ""), one.work_gaps))
    return sides


def pair(passage: Passage, page: str, work: str) -> tuple[list[Piece], list[Piece]]:
    """Both sides of one passage, cut at what was changed. page, work: the passage as it stands there."""
    sides = typed(page, work, [(1, _by_itself(passage))])
    return pieces(page, sides.page), pieces(work, sides.work)


def _by_itself(passage: Passage) -> Passage:
    """The same, counted from its own beginning on either side."""
    page_at, work_at = passage.page_start, passage.work_start
    return replace(
        passage,
        page_start=0,
        page_end=passage.page_end - page_at,
        work_start=0,
        work_end=passage.work_end - work_at,
        page_gaps=tuple((start - page_at, end - page_at) for start, end in passage.page_gaps),
        work_gaps=tuple((start - work_at, end - work_at) for start, end in passage.work_gaps),
    )


def _without_gaps(span: Span, gaps: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """A stretch that looks the same on both sides, cut where gaps begin and end; a change says what it is anyway."""
    if span.kind not in _AGREEING or not gaps:
        yield span
        return
    first = bisect_right(gaps, span.start, key=itemgetter(1))
    inside = [gap for gap in gaps[first:] if gap[0] < span.end]
    bounds = [span.start, *(min(max(at, span.start), span.end) for at in chain.from_iterable(inside)), span.end]
    meet = span.meet
    for number, (start, end) in enumerate(pairwise(bounds)):
        if start < end or len(bounds) == 2:
            yield replace(span, start=start, end=end, kind=GAP if number % 2 else span.kind, meet=meet)
            meet = None


def _meeting(runs: Iterable[Edit]) -> Iterator[tuple[Edit, bool]]:
    """The runs of a passage, those that stayed the same in handy parts, and whether both texts meet where one begins.

    The passage's own beginning is marked as such, and is none of these places.
    """
    since = 0
    for run in runs:
        for part in _parts(run):
            meets = part.kind is EditKind.SAME and since >= MEET
            yield part, meets
            since = part.page_end - part.page_start + (0 if meets else since)


def _parts(run: Edit) -> Iterator[Edit]:
    length = run.page_end - run.page_start
    if run.kind is not EditKind.SAME or length != run.work_end - run.work_start or length <= MEET:
        yield run
        return
    for at in range(0, length, MEET):
        end = min(at + MEET, length)
        yield replace(
            run,
            page_start=run.page_start + at,
            page_end=run.page_start + end,
            work_start=run.work_start + at,
            work_end=run.work_start + end,
        )
