"""Show the overview as the first screen, search everything, and find where a reader may go by a few typed letters."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from flask import Blueprint, Response, current_app, jsonify, render_template, request, url_for

from dashboard.analysis.figures import cases_over_time
from dashboard.frame.context import LANGUAGES, current_actor, services, t
from dashboard.frame.display import statuses_to_show
from dashboard.frame.requests import ACCEPTED_SUFFIXES, printable_words
from dashboard.frame.security import declared_right, may, may_open, needs
from wenhen.analysis.model import ChartPeriod
from wenhen.analysis.service import load_overview
from wenhen.cases.model import CaseStatus
from wenhen.cases.service import load_my_work
from wenhen.kit.progress import OwnerKind
from wenhen.kit.rights import Right
from wenhen.reports.wording import catalogue
from wenhen.search.service import (
    MAX_CHECKED_TEXTS,
    MAX_QUERY_CHARACTERS,
    MAX_RESULT_COUNT,
    find_numbered_case,
    search_everything,
)
from wenhen.sites.service import suggest_sites
from wenhen.works.service import suggest_works

MAX_DESTINATIONS: Final = 12
_MAX_PER_KIND: Final = 5
# Views without arguments, each with the key of its name. Those that a reader asks for most come first.
_SCREENS: Final = (
    ("overview.show", "nav.overview"),
    ("suspects.find", "nav.suspects"),
    ("works.find", "nav.works"),
    ("intake.show_upload", "intake.heading"),
    ("addresses.show_addresses", "addresses.title"),
    ("sites.show", "nav.sites"),
    ("check.show", "check.heading"),
    ("notices.find", "notices.title"),
    ("reports.show", "reports.title"),
    ("analysis.show", "nav.analysis"),
    ("health.show", "nav.health"),
    ("work_form.new", "work_form.new"),
    ("common.show", "common_texts.title"),
    ("details.show_details", "details.heading"),
    ("holders.show", "holders.title"),
    ("licences.show", "nav.licences"),
    ("marks.show", "marks.title"),
    ("rules.show", "rules.title"),
    ("fingerprints.show_fingerprints", "fingerprints.heading"),
    ("copy_map.show_map", "map.title"),
    ("kept_reports.show_stored", "reports.kept"),
    ("links.show_links", "links.title"),
    ("platforms.show", "platforms.title"),
    ("pages.find", "pages.title"),
    ("discoveries.show", "discoveries.title"),
    ("alerts.show", "nav.alerts"),
    ("account.show", "nav.account"),
    ("users.show", "nav.users"),
    ("audit.show_audit_log", "nav.audit"),
    ("webhooks.show", "nav.webhooks"),
    ("help.show", "help.title"),
)


class Destination(NamedTuple):
    """A place to go to. kind: what it is, in words."""

    label: str
    kind: str
    address: str


def find_destinations(typed: str) -> list[Destination]:
    """Return the places that the typed letters name, the most particular first. Nothing typed gives screens."""
    typed = typed.strip()
    if not typed:
        return list(_screens(""))[:MAX_DESTINATIONS]
    holders = _holders(typed) if may_open("holders.show") else iter(())
    sources = (_case(typed), _screens(typed), _works(typed), holders, _sites(typed))
    return [place for source in sources for place in source][:MAX_DESTINATIONS]


def _case(typed: str) -> Iterator[Destination]:
    if case := find_numbered_case(services().product, typed):
        label = f"#{case.number} {case.page_title or case.page_url}"
        yield Destination(label, t("search.cases"), url_for("case.show", number=case.number))


def _screens(typed: str) -> Iterator[Destination]:
    query = typed.casefold()
    for endpoint, key in _SCREENS:
        right = declared_right(current_app, endpoint)
        if not may_open(endpoint) or (isinstance(right, Right) and not may(right)):
            continue
        if any(query in catalogue().text(tongue, key).casefold() for tongue in LANGUAGES):
            yield Destination(t(key), t("go.screen"), url_for(endpoint))


def _works(typed: str) -> Iterator[Destination]:
    for work in suggest_works(services().product, typed)[:_MAX_PER_KIND]:
        label = " · ".join(filter(None, (work.title, work.author)))
        yield Destination(label, t("search.a_work"), url_for("works.show", id=work.id))


def _holders(typed: str) -> Iterator[Destination]:
    fitting = [holder.id for holder in services().store.holders.all() if typed.casefold() in holder.id.casefold()]
    for name in fitting[:_MAX_PER_KIND]:
        yield Destination(name, t("work.owner"), url_for("holders.show", name=name))


def _sites(typed: str) -> Iterator[Destination]:
    for site in suggest_sites(services().product, typed)[:_MAX_PER_KIND]:
        yield Destination(site.name, t("search.sites"), url_for("site.show", id=site.id))


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
        mentions=services().store.alerts.unseen_mentions(current_actor().who),
        removed=figures.newest.removed,
        statuses=statuses_to_show(dict.fromkeys(CaseStatus, 0) | dict(figures.counts.by_status)),
        over_time=cases_over_time(periods, ChartPeriod.WEEK),
        since=periods[0].start,
        next_crawl=min((site.due for site in sites), default=None),
        names={site.id: site.name for site in sites},
        site_of_host={host: site.name for site in sites for host in site.hosts},
        accepted=ACCEPTED_SUFFIXES,
    )


search_blueprint = Blueprint("search", __name__, url_prefix="/search")


class QueryPiece(NamedTuple):
    """A part of a text, and whether it matches the query."""

    text: str
    asked_for: bool


@search_blueprint.get("/")
@needs(Right.READ)
def find() -> str:
    """Show the first results of each kind. The lists of works, cases and pages have all of them."""
    query = (printable_words(request.args.get("q", "")) or "")[:MAX_QUERY_CHARACTERS]
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
