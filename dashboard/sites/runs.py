"""The runs: how far those are that go on, what waits in them, what a past one counted, and how a crawl is steered."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from flask import Blueprint, Flask, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from crawler.crawl.address_counts import LIMIT
from crawler.crawl.miss_reasons import Reason
from dashboard.frame.context import acting, services
from dashboard.frame.display import NOTHING, grouped
from dashboard.frame.language import named, t
from dashboard.frame.permissions import needs
from dashboard.frame.reason_words import counted, why_words
from dashboard.sites.site_form import told as in_words
from services.crawls.end_of_run import NO_PAGE
from services.crawls.missed_addresses import missed_by
from services.crawls.steered_by_people import STEERS, steers_of
from services.crawls.waiting_addresses import drop, waiting
from services.sites.site_standing import why_no_page
from store.errors import BadInput, Conflict, NotFound
from store.records import Run, RunKind, RunState, SubjectKind
from store.rules.role_rights import Right

blueprint = Blueprint("runs", __name__, url_prefix="/sites/runs")

_SAID: Final = {"pause": "runs.pause_begun", "resume": "runs.resume_begun", "stop": "runs.stop_begun"}
_ASKED: Final = ("fetched", "refused", "failed")


@blueprint.get("/<string:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """One run, and what it counted."""
    run = services().store.runs.get(id)
    name = _name(run)
    names = {run.subject.id: name} if run.subject and name else {}
    missed = missed_by(services().store, id)
    return render_template("sites/run.html", run=run, name=name, names=names, missed=missed, why=_why_it_ended(run))


@blueprint.get("/going")
@needs(Right.READ)
def going() -> Response:
    """How far the crawls are that have not ended, for the page that shows it to ask every other second."""
    wanted = request.args.get("of")  # a site, an address or a batch; without it all
    runs = [run for run in services().store.runs.active(RunKind.CRAWL) if wanted in (None, str(run.subject))]
    return jsonify(
        [{"id": run.id, "done": done(run), "total": total(run), "state": run.state, "told": told(run)} for run in runs]
    )


@blueprint.get("/<string:id>/waiting")
@needs(Right.READ)
def show_waiting(id: str) -> str | tuple[str, int]:
    """What a crawl has still to fetch, by a pattern."""
    pattern, refusal = request.args.get("pattern", ""), None
    run = services().store.runs.get(id)
    try:
        found = waiting(services().product, id, pattern)
    except BadInput as error:
        found, refusal = None, in_words(error.message)
    names = {run.subject.id: name} if run.subject and (name := _name(run)) else {}
    page = render_template("sites/waiting.html", run=run, names=names, pattern=pattern, found=found, refusal=refusal)
    return (page, 400) if refusal else page


@blueprint.post("/<string:id>/drop")
@needs(Right.CRAWL)
def drop_waiting(id: str) -> Answer:
    """Drop what waits and fits a pattern."""
    pattern = request.form.get("pattern", "")
    try:
        flash(t("runs.dropped", count=grouped(drop(acting(), id, pattern))))
    except Conflict:
        flash(t("runs.cannot"))
    except BadInput as error:
        flash(in_words(error.message))
    return redirect(url_for("runs.show_waiting", id=id), 303)


@blueprint.post("/<string:id>/<string:to>")
@needs(Right.CRAWL)
def steer(id: str, to: str) -> Answer:
    """Pause, resume or stop a crawl."""
    if to not in STEERS:
        abort(404)
    try:
        STEERS[to](acting(), id)
    except Conflict:
        flash(t("runs.cannot"))
    else:
        flash(t(_SAID[to]))
    return redirect(url_for("runs.show", id=id), 303)


def done(run: Run) -> int:
    """Addresses that were asked for."""
    return sum(run.counts.get(name, 0) for name in _ASKED)


def total(run: Run) -> int:
    """The same, and those known that wait; 0 before the first."""
    return done(run) + run.counts.get("waiting", 0)


def told(run: Run) -> str:
    """Its counts in a line."""
    return " · ".join(f"{counted(name)} {count:,}" for name, count in run.counts.items() if "_" not in name)


def problem_of(run: Run) -> str:
    """What went wrong; of a crawl to which no page came, why and what to do."""
    if run.problem is None or run.problem.code != NO_PAGE.code:
        return in_words(run.problem) if run.problem else ""
    return why_words(why_no_page(services().product, run))


def crawled(run: Run) -> timedelta:
    """For how long it was at work."""
    return timedelta(seconds=run.crawled_seconds)


def waited(run: Run) -> timedelta:
    """For how long it waited for a crawler, rested or was paused."""
    return (run.ended_at or run.heartbeat_at) - run.started_at - crawled(run)


def _why_it_ended(run: Run) -> str | None:
    """Why a crawl without a problem fetched no more."""
    if run.ended_at is None or run.problem or run.kind is not RunKind.CRAWL:
        return None
    if run.state is RunState.STOPPING:
        return t("runs.why_stopped")
    if left := run.counts.get(f"refused_{LIMIT}"):
        return t("runs.why_limit", count=grouped(left))
    return t("runs.why_trap") if run.counts.get(f"refused_{Reason.TRAP}") else t("runs.why_done")


def of_what(run: Run, names: Mapping[str, str]) -> str:
    """The site by its name, of a rebuild the index, or what else was asked for."""
    if run.subject is None:
        return NOTHING
    match run.subject.kind:
        case SubjectKind.SITE:
            return names.get(run.subject.id) or run.subject.id
        case SubjectKind.BATCH:
            return t("runs.of_batch", batch=run.subject.id)
        case SubjectKind.INDEX:
            return named("owner", run.subject.id)
        case SubjectKind.ADDRESS:
            return run.subject.id


def _name(run: Run) -> str | None:
    if run.subject is None or run.subject.kind is not SubjectKind.SITE:
        return None
    try:
        return services().store.sites.get(run.subject.id).name
    except NotFound:
        return None


def install(app: Flask) -> None:
    """Offer these to templates."""
    for name, function in (
        ("run_done", done),
        ("run_total", total),
        ("run_told", told),
        ("run_problem", problem_of),
        ("steers", steers_of),
        ("run_crawled", crawled),
        ("run_waited", waited),
    ):
        app.add_template_global(function, name)
    app.add_template_global(of_what, "run_of_what")
