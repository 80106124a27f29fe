"""Both sides of a passage cut at what was changed, marked so that no colour is needed to see it."""

from collections.abc import Sequence
from typing import Final

from dashboard.export.marked_runs import Mark, MarkedRun, MarkedSides
from matcher.alignment.edits import Edit, EditKind, between
from services.cases.passage_quotes import PassageQuote

MARKED: Final = 5_000  # passages of one sheet, up to which they are marked; it takes a millisecond each
_MARKS: Final = {
    EditKind.SAME: Mark.SAME,
    EditKind.SAME_SOUND: Mark.SOUND,
    EditKind.VARIANT: Mark.SOUND,
    EditKind.REPLACED: Mark.REPLACED,
    EditKind.INSERTED: Mark.ADDED,
    EditKind.DELETED: Mark.LEFT_OUT,
}


def are_marked(passages: int) -> bool:
    """Whether what was changed is marked in a sheet of so many passages."""
    return passages <= MARKED


def marked_sides(passage: PassageQuote) -> MarkedSides:
    """Both sides marked; unmarked where one of the texts is lost, as there is nothing to compare."""
    page, work = passage.page_text, passage.work_text
    if page is None or work is None or page == work:
        return MarkedSides(_unmarked(page), _unmarked(work))
    runs = between(page, work)
    return MarkedSides(
        _joined([(run, page[run.page_start : run.page_end]) for run in runs]),
        _joined([(run, work[run.work_start : run.work_end]) for run in sorted(runs, key=_in_work)]),
    )


def _in_work(run: Edit) -> int:
    return run.work_start  # what was moved stands elsewhere than on the page


def _unmarked(text: str | None) -> tuple[MarkedRun, ...] | None:
    return None if text is None else (MarkedRun(Mark.SAME, text),)


def _joined(runs: Sequence[tuple[Edit, str]]) -> tuple[MarkedRun, ...]:
    joined: list[MarkedRun] = []
    for run, text in runs:
        mark = _MARKS[run.kind]
        if joined and joined[-1].mark is mark:
            joined[-1] = MarkedRun(mark, joined[-1].text + text)
        elif text:
            joined.append(MarkedRun(mark, text))
    return tuple(joined)
