"""List works and series, show one with its heat strip and timeline, and edit the details of many as a table."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import accumulate, count, takewhile
from typing import Final

from flask import Blueprint, Response, flash, jsonify, render_template, request, url_for

from dashboard.frame.context import current_actor, services, shows_refusal, stored_language, t
from dashboard.frame.requests import (
    ROWS_PER_PAGE,
    current_paging,
    file_response,
    printable_words,
    redirect_to,
    uploaded_files,
)
from dashboard.frame.security import needs
from dashboard.works.form_views import work_refusal_words
from wenhen.cases.model import Case
from wenhen.cases.rules import NON_COPY_STATUSES
from wenhen.discovery.continuations import find_continuations
from wenhen.kit.errors import Message
from wenhen.kit.rights import Right
from wenhen.works.import_export import EditedWorks, edit_works_csv, export_details_csv
from wenhen.works.importers.csv_rows import decode_csv
from wenhen.works.model import Work
from wenhen.works.service import find_works_of_same_text, suggest_works

# The copied parts of a work: the number of pages for each part.


MAX_HEAT_STRETCHES: Final = 120


@dataclass(frozen=True, slots=True)
class HeatStretch:
    """One part of the work in code points, end exclusive, and the number of pages that copy from it."""

    start: int
    end: int
    pages: int


def heat_strip(length: int, pages: Iterable[Iterable[tuple[int, int]]]) -> list[HeatStretch]:
    """Cut the work in at most `MAX_HEAT_STRETCHES` equal parts, from start to end.

    `pages` holds the copied spans of the work, for each page. A page counts once for each part.
    """
    bins = min(MAX_HEAT_STRETCHES, length)
    changes = [0] * (bins + 1)
    for spans in pages:
        touched: set[int] = set()
        for start, end in spans:
            first, last = max(0, start), min(end, length)
            if first < last:
                touched.update(range(first * bins // length, (last - 1) * bins // length + 1))
        for place in touched:
            changes[place] += 1
            changes[place + 1] -= 1
    counts = list(accumulate(changes[:bins]))
    # A code point belongs to the part `point * bins // length`. Each part begins at the first such point.
    starts = [-(-place * length // bins) for place in range(bins)] + [length]
    return [HeatStretch(starts[place], starts[place + 1], count) for place, count in enumerate(counts)]


# The events of a work in order: published, registered, changed, copied, decided.


class TimelineKind(StrEnum):
    """The kinds of timeline events."""

    PUBLISHED = "published"
    STORED = "stored"
    VERSION = "version"
    CASE = "case"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One event. `number` is the version's, `case` the copy."""

    at: datetime
    what: TimelineKind
    number: int | None = None
    case: Case | None = None


def timeline(work: Work, cases: Iterable[Case]) -> list[TimelineEvent]:
    """Return the events of the work and of these cases, earliest first."""
    events = [TimelineEvent(at=work.stored_at, what=TimelineKind.STORED)]
    if work.published_at:
        events.append(TimelineEvent(at=work.published_at, what=TimelineKind.PUBLISHED))
    events += [
        TimelineEvent(at=version.stored_at, what=TimelineKind.VERSION, number=version.version)
        for version in work.versions
        if version.version > 1
    ]
    for case in cases:
        events.append(TimelineEvent(at=case.opened_at, what=TimelineKind.CASE, case=case))
        if case.decided_at:
            events.append(TimelineEvent(at=case.decided_at, what=TimelineKind.DECIDED, case=case))
    return sorted(events, key=lambda event: event.at)


works_blueprint = Blueprint("works", __name__, url_prefix="/works")

_MAX_CASES: Final = 200
_MAX_QUERY_CHARACTERS: Final = 200  # characters
_MAX_WORKS_FOUND: Final = 10_000  # works that a search lists: counting all matches of a common word takes too long
_MAX_TIMELINE_CASES: Final = 40  # cases in the timeline
_OPENING_CHARACTERS: Final = 2_000  # characters of the text that a work's page shows


@works_blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """Show the list with a search."""
    works = services().store.works
    query = printable_words(request.args.get("q", "")[:_MAX_QUERY_CHARACTERS])
    series = request.args.get("series", "")[:_MAX_QUERY_CHARACTERS] or None
    if query:
        page = current_paging(works.count(query=query, series=series, most=_MAX_WORKS_FOUND + 1), _MAX_WORKS_FOUND)
    else:
        page = current_paging(works.count(series=series))
    rows = works.find(query=query, series=series, skip=page.skip, limit=ROWS_PER_PAGE)
    return render_template(
        "works/works.html",
        works=rows,
        copies=services().store.figures.of_works([work.id for work in rows]),
        query=query,
        series=series,
        paging=page,
    )


@works_blueprint.get("/series")
@needs(Right.READ)
def series() -> str:
    """Show the series with their number of chapters and their copies."""
    store = services().store
    page = current_paging(store.works.count_series())
    rows = store.works.series(skip=page.skip, limit=ROWS_PER_PAGE)
    copies = store.figures.of_series([name for name, _ in rows])
    return render_template("works/series.html", series=rows, copies=copies, paging=page)


@works_blueprint.get("/continuations")
@needs(Right.READ)
def show_continuations() -> str:
    """Show the books that copy a series and go on under its name."""
    name = request.args.get("series", "")[:_MAX_QUERY_CHARACTERS]
    return render_template("works/continuations.html", series=name, books=find_continuations(services().product, name))


@works_blueprint.get("/names")
@needs(Right.READ)
def names() -> Response:
    """Suggest works for the typed words: a value that identifies the work, and a label that distinguishes it."""
    suggested = suggest_works(services().product, request.args.get("q", "")[:_MAX_QUERY_CHARACTERS])
    titles = Counter(work.title for work in suggested)
    return jsonify(
        [
            {
                "value": work.title if titles[work.title] == 1 else work.id,
                "label": " · ".join(filter(None, (work.title, work.author, work.id))),
                "address": url_for("works.show", id=work.id),
            }
            for work in suggested
        ]
    )


@works_blueprint.get("/one")
@needs(Right.READ)
def show() -> str:
    """Show one work with its versions and cases.

    Its id may contain any character, so it is an argument instead of a path segment.
    """
    store = services().store
    work = store.works.get(request.args.get("id", ""))
    cases = store.cases.find(work_id=work.id, limit=_MAX_CASES)
    return render_template(
        "works/work.html",
        work=work,
        same_text=() if work.removed_at or work.common else find_works_of_same_text(services().product, work),
        cases=cases,
        removed={work.id} if work.removed_at else set(),
        heat=_copied_parts(work, cases),
        events=timeline(work, cases[:_MAX_TIMELINE_CASES]),
        told=_MAX_TIMELINE_CASES,
        case_count=store.cases.count(work_id=work.id),
        opening=store.blobs.get_text(work.text_digest)[:_OPENING_CHARACTERS],
    )


def _copied_parts(work: Work, cases: list[Case]) -> list[HeatStretch]:
    """Count the pages that copy each part of the work's current text. Skip dismissed cases and earlier texts."""
    counted = [
        [(passage.work_start, passage.work_end) for passage in case.match.passages]
        for case in cases
        if case.status not in NON_COPY_STATUSES and case.work_text_digest == work.text_digest
    ]
    return heat_strip(work.length, counted) if any(counted) else []


details_blueprint = Blueprint("details", __name__, url_prefix="/works/details")

_MAX_ROWS: Final = 1000  # works in one query
_MAX_SHOWN: Final = 500  # lines that the preview names


@details_blueprint.get("/")
@needs(Right.DETAILS)
def show_details() -> str:
    """Show the instructions, the table to download, and the upload form."""
    return _render_details()


def _render_refused(refusal: Message) -> str:
    return _render_details(refusal=work_refusal_words(refusal))


@details_blueprint.get("/works.csv")
@needs(Right.DETAILS)
def table() -> Response:
    """Export all works, or those of a series."""
    works, series = services().store.works, request.args.get("series") or None
    pages = (works.find(series=series, skip=skip, limit=_MAX_ROWS) for skip in count(0, _MAX_ROWS))
    every = (work for page in takewhile(bool, pages) for work in page)
    return file_response(f"{t('details.file')}.csv", export_details_csv(every, stored_language()), "text/csv")


@details_blueprint.post("/preview")
@needs(Right.DETAILS)
@shows_refusal(_render_refused)
def preview() -> str:
    """Preview the changes and the refused lines of a file."""
    content = b"".join(content for _, content in uploaded_files("file"))
    return _render_details(result=edit_works_csv(current_actor(), content, preview=True), content=decode_csv(content))


@details_blueprint.post("/")
@needs(Right.DETAILS)
@shows_refusal(_render_refused)
def take_details() -> str | Response:
    """Change the works by the previewed lines. List refused lines with the reason."""
    done = edit_works_csv(current_actor(), request.form.get("content", "").encode("utf-8", "replace"))
    flash(t("details.taken", count=len(done.edited)))
    return _render_details(result=done) if done.refused else redirect_to("works.find")


def _render_details(
    *, result: EditedWorks | None = None, content: str | None = None, refusal: str | None = None
) -> str:
    refused = (
        [(refusal.place, work_refusal_words(refusal.reason)) for refusal in result.refused[:_MAX_SHOWN]]
        if result
        else []
    )
    return render_template(
        "works/details.html", result=result, refused=refused, content=content, refusal=refusal, shown=_MAX_SHOWN
    )
