"""Show the overview as the first screen, and search everything."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from flask import Blueprint, Response, jsonify, render_template, request

from dashboard.analysis.figures import ColumnChart, stack_columns
from dashboard.frame.context import current_actor, services
from dashboard.frame.display import statuses_to_show
from dashboard.frame.requests import ACCEPTED_SUFFIXES
from dashboard.frame.security import needs
from dashboard.search.destinations import find_destinations
from wenhen.analysis.model import Period
from wenhen.analysis.overview import load_overview
from wenhen.cases.model import CaseStatus
from wenhen.cases.my_work import load_my_work
from wenhen.kit.progress import OwnerKind
from wenhen.kit.rights import Right
from wenhen.search.service import MAX_CHECKED_TEXTS, MAX_QUERY_CHARACTERS, MAX_RESULT_COUNT, search_everything

# The first screen: waiting cases, the course of cases, similarity of copies, top copiers, and the last runs.


overview_blueprint = Blueprint("overview", __name__)


@overview_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show counts, charts, rankings, the newest suspects and the last runs."""
    figures = load_overview(services().product)
    periods, sites = figures.charts.periods, figures.upkeep.sites
    return render_template(
        "figures/overview.html",
        figures=figures,
        mine=load_my_work(current_actor()),
        removed=figures.newest.removed,
        statuses=statuses_to_show(dict.fromkeys(CaseStatus, 0) | dict(figures.counts.by_status)),
        over_time=_cases_over_time(periods),
        since=periods[0].start,
        next_crawl=min((site.due for site in sites), default=None),
        names={site.id: site.name for site in sites},
        accepted=ACCEPTED_SUFFIXES,
    )


def _cases_over_time(periods: Sequence[Period]) -> ColumnChart:
    rows = [
        (f"{period.start:%m-%d}", {status.value: count for status, count in period.cases.items()}) for period in periods
    ]
    return stack_columns(rows, [status.value for status in CaseStatus])


search_blueprint = Blueprint("search", __name__, url_prefix="/search")


class QueryPiece(NamedTuple):
    """A part of a text, and whether it matches the query."""

    text: str
    asked_for: bool


@search_blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """Show the first results of each kind. The lists of works, cases and pages have all of them."""
    query = "".join(letter for letter in request.args.get("q", "") if letter.isprintable()).strip()[
        :MAX_QUERY_CHARACTERS
    ]
    return render_template(
        "search/search.html",
        query=query,
        found=search_everything(services().product, query),
        marked=lambda text: mark_query(text, query),
        PAGE=OwnerKind.PAGE,
        counted=MAX_RESULT_COUNT,
        looked_at=MAX_CHECKED_TEXTS,
    )


@search_blueprint.get("/go")
@needs(Right.READ)
def go() -> Response:
    """Return the places that the typed letters name: screens, works, cases, holders and sites."""
    places = find_destinations(request.args.get("q", "")[:MAX_QUERY_CHARACTERS])
    return jsonify([place._asdict() for place in places])


def mark_query(text: str, query: str) -> list[QueryPiece]:
    """Split a text at the words of a query, ignoring case.

    >>> mark_query("潮汐簿 第一章", "潮汐")
    [QueryPiece(text='潮汐', asked_for=True), QueryPiece(text='簿 第一章', asked_for=False)]
    """
    words = sorted(set(query.split()), key=len, reverse=True)
    if not words:
        return [QueryPiece(text, False)]
    cut = re.split(f"({'|'.join(map(re.escape, words))})", text, flags=re.IGNORECASE)
    return [QueryPiece(piece, number % 2 == 1) for number, piece in enumerate(cut) if piece]
