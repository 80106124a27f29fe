"""The works whose copies are looked for."""

from typing import Final

from flask import Blueprint, render_template, request

from dashboard.frame.context import services
from dashboard.frame.paging import SIZE, paging
from dashboard.frame.permissions import needs
from dashboard.works.heat import HeatStretch, strip
from dashboard.works.timeline import timeline
from store.records import Case, Work
from store.rules.cases.case_path import NO_COPY
from store.rules.role_rights import Right

blueprint = Blueprint("works", __name__, url_prefix="/works")

_CASES: Final = 200
_QUERY: Final = 200  # characters
_FOUND: Final = 10_000  # works that a search lists; to count all that a common word finds takes too long
_TOLD: Final = 40  # cases that the timeline tells of
_OPENING: Final = 2_000  # characters of the text that a work's page shows


@blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """The list, with search."""
    works = services().store.works
    typed = request.args.get("q", "")[:_QUERY]
    query = "".join(letter for letter in typed if letter.isprintable()).strip() or None
    series = request.args.get("series", "")[:_QUERY] or None
    if query:
        page = paging(works.count(query=query, series=series, most=_FOUND + 1), _FOUND)
    else:
        page = paging(works.count(series=series))
    found = works.find(query=query, series=series, skip=page.skip, limit=SIZE)
    return render_template(
        "works/works.html",
        works=found,
        copies=services().store.figures.of_works([work.id for work in found]),
        query=query,
        series=series,
        paging=page,
    )


@blueprint.get("/series")
@needs(Right.READ)
def series() -> str:
    """The series, how many chapters each has, and their copies."""
    store = services().store
    page = paging(store.works.count_series())
    found = store.works.series(skip=page.skip, limit=SIZE)
    copies = store.figures.of_series([name for name, _ in found])
    return render_template("works/series.html", series=found, copies=copies, paging=page)


@blueprint.get("/one")
@needs(Right.READ)
def show() -> str:
    """One work with its versions and its cases; the id, which may hold any character, is an argument."""
    store = services().store
    work = store.works.get(request.args.get("id", ""))
    cases = store.cases.find(work_id=work.id, limit=_CASES)
    return render_template(
        "works/work.html",
        work=work,
        cases=cases,
        removed={work.id} if work.removed_at else set(),
        heat=_heat(work, cases),
        events=timeline(work, cases[:_TOLD]),
        told=_TOLD,
        case_count=store.cases.count(work_id=work.id),
        opening=store.blobs.get_text(work.text_digest)[:_OPENING],
    )


def _heat(work: Work, cases: list[Case]) -> list[HeatStretch]:
    """How many of these pages copy each part of the work's present text, dismissed ones and older texts left out."""
    counted = [
        [(passage.work_start, passage.work_end) for passage in case.match.passages]
        for case in cases
        if case.status not in NO_COPY and case.work_text_digest == work.text_digest
    ]
    return strip(work.length, counted) if any(counted) else []
