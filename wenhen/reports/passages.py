"""Format passages for reports: headings, captions and marked changes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from matcher.alignment.edits import Edit, EditKind, list_edits_between
from wenhen.cases.passages import PassageQuote
from wenhen.kit.text import percent
from wenhen.reports.columns import (
    Mark,
    MarkedRun,
    MarkedSides,
    SheetPart,
    in_both_languages,
    named_in_both,
    split_into_cells,
)
from wenhen.reports.model import CaseEntry
from wenhen.reports.wording import place_words, post_words

MAX_POSTS: Final = 3  # named in the heading of a passage


def passage_heading(quote: PassageQuote) -> str:
    """Return the heading: number, change, similarity, offsets in both texts, location and posts."""
    in_work, on_page = f"{quote.work_start:,}–{quote.work_end:,}", f"{quote.page_start:,}–{quote.page_end:,}"
    places = f"{in_both_languages('print.places')} {in_work} ↔ {on_page}"
    similarity = f"{in_both_languages('report.passage_similarity')} {percent(quote.similarity)}"
    parts = [
        f"{in_both_languages('report.passage')} {quote.number}",
        named_in_both("level", quote.change),
        similarity,
        places,
    ]
    if quote.place is not None:
        parts.append("{zh} {en}".format(**place_words(quote.place)))
    parts += ["{zh} / {en}".format(**post_words(post)) for post in quote.posts[:MAX_POSTS]]
    return " · ".join(parts)


def picture_caption(passage: PassageQuote, picture: int) -> str:
    """Return the caption, which is also the alternative text."""
    return in_both_languages("place.framed").format(number=picture, passage=passage.number)


MAX_MARKED_PASSAGES: Final = 5_000  # marking takes about a millisecond per passage
_EDIT_MARKS: Final = {
    EditKind.SAME: Mark.SAME,
    EditKind.SPACE: Mark.SAME,
    EditKind.SAME_SOUND: Mark.SOUND,
    EditKind.VARIANT: Mark.SOUND,
    EditKind.REPLACED: Mark.REPLACED,
    EditKind.INSERTED: Mark.ADDED,
    EditKind.DELETED: Mark.LEFT_OUT,
}


def is_sheet_marked(passages: int) -> bool:
    """Return whether changes are marked in a sheet with this number of passages."""
    return passages <= MAX_MARKED_PASSAGES


def mark_sides(passage: PassageQuote) -> MarkedSides:
    """Return both sides with marked changes, or unmarked if a text is lost."""
    page, work = passage.page_text, passage.work_text
    if page is None or work is None or page == work:
        return MarkedSides(_unmarked_runs(page), _unmarked_runs(work))
    runs = list_edits_between(page, work)
    return MarkedSides(
        _join_runs([(run, page[run.page_start : run.page_end]) for run in runs]),
        _join_runs([(run, work[run.work_start : run.work_end]) for run in sorted(runs, key=_work_length)]),
    )


def _work_length(run: Edit) -> int:
    return run.work_start  # moved text has another place in the work


def _unmarked_runs(text: str | None) -> tuple[MarkedRun, ...] | None:
    return None if text is None else (MarkedRun(Mark.SAME, text),)


def _join_runs(runs: Sequence[tuple[Edit, str]]) -> tuple[MarkedRun, ...]:
    joined: list[MarkedRun] = []
    for run, text in runs:
        mark = _EDIT_MARKS[run.kind]
        if joined and joined[-1].mark is mark:
            joined[-1] = MarkedRun(mark, joined[-1].text + text)
        elif text:
            joined.append(MarkedRun(mark, text))
    return tuple(joined)


def sheet_parts(cases: Iterable[CaseEntry], *, marked: bool = True) -> Iterator[SheetPart]:
    """Yield the passages of all cases as rows of `PASSAGE_COLUMNS`.

    marked: mark changes in passages that fit a cell.
    """
    for case in cases:
        for passage in case.passages:
            if marked and _fits_in_cell(passage):
                yield SheetPart(case, passage, 1, 1, *mark_sides(passage))
            else:
                yield from _unmarked_parts(case, passage)


def _unmarked_parts(case: CaseEntry, passage: PassageQuote) -> Iterator[SheetPart]:
    texts = list(zip_longest(split_into_cells(passage.page_text), split_into_cells(passage.work_text)))
    for position, (page, work) in enumerate(texts, 1):
        yield SheetPart(case, passage, position, len(texts), page, work)


def _fits_in_cell(passage: PassageQuote) -> bool:
    return all(len(split_into_cells(text)) == 1 for text in (passage.page_text, passage.work_text))
