"""What was done inside a passage, run by run, as stretches that a text can be cut at."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from dashboard.panes import Piece, Span, pieces
from matcher.edits import Edit, EditKind, edits
from store.records import Change, Passage


class Sides(NamedTuple):
    """The stretches of one passage, or of many, on either side."""

    page: list[Span]
    work: list[Span]


def typed(page_text: str, work_text: str, passages: Iterable[tuple[int, Passage]]) -> Sides:
    """The runs of these numbered passages in code points of both texts; what lies outside a text is cut off."""
    sides = Sides([], [])
    for number, passage in passages:
        page_at, work_at = max(0, passage.page_start), max(0, passage.work_start)
        runs = _inside(page_text[page_at : passage.page_end], work_text[work_at : passage.work_end])
        for run in runs:
            sides.page.append(Span(number, page_at + run.page_start, page_at + run.page_end, run.kind))
            sides.work.append(Span(number, work_at + run.work_start, work_at + run.work_end, run.kind))
        if not runs:  # it keeps its place, so that its number stands on both sides
            sides.page.append(Span(number, page_at, page_at, EditKind.SAME))
            sides.work.append(Span(number, work_at, work_at, EditKind.SAME))
    return sides


def whole(passages: Iterable[tuple[int, Passage]]) -> Sides:
    """The passages without a look inside, for when one of the texts is missing."""
    found = list(passages)
    return Sides(
        [Span(number, passage.page_start, passage.page_end, "") for number, passage in found],
        [Span(number, passage.work_start, passage.work_end, "") for number, passage in found],
    )


def pair(page: str, work: str) -> tuple[list[Piece], list[Piece]]:
    """Both sides of one passage, cut at what was changed."""
    runs = _inside(page, work)
    return (
        pieces(page, [Span(1, run.page_start, run.page_end, run.kind) for run in runs]),
        pieces(work, [Span(1, run.work_start, run.work_end, run.kind) for run in runs]),
    )


@lru_cache(maxsize=128)
def _inside(page: str, work: str) -> tuple[Edit, ...]:
    """The runs of two stretches; kept, as a case that is looked at once is soon looked at again."""
    if page == work:
        return (Edit(EditKind.SAME, 0, len(page), 0, len(work)),) if page else ()
    whole = Passage(
        page_start=0,
        page_end=len(page),
        work_start=0,
        work_end=len(work),
        similarity=0.0,
        change=Change.REWRITTEN,  # neither is looked at
    )
    return tuple(edits(page, work, whole))
