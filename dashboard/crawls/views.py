"""Show the progress of runs, pause, resume or stop crawls, and take addresses that somebody pasted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final
from urllib.parse import quote

from flask import Blueprint, Flask, Response, abort, flash, jsonify, render_template, request, url_for

from crawler.addresses import MAX_ADDRESS_CHARACTERS
from crawler.skip_reasons import PAGE_LIMIT_REASON, SkipReason
from dashboard.frame.context import current_actor, language, services, t, value_name
from dashboard.frame.display import counter_text, miss_text, why_words
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import needs
from dashboard.sites.site_views import site_refusal_words
from wenhen.crawls.address_fetches import (
    MAX_ADDRESSES,
    NoAddress,
    fetch_addresses,
    find_addresses,
    find_outcomes,
)
from wenhen.crawls.comparison import drop_waiting_addresses, find_missed_addresses, find_waiting
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.crawls.service import NO_PAGE_MESSAGE, RUN_ACTIONS, possible_actions
from wenhen.dossiers.service import explain_no_page
from wenhen.kit.errors import BadInput, Conflict, Message, NotFound, TooLarge
from wenhen.kit.progress import SubjectKind
from wenhen.kit.rights import Right
from wenhen.reports.wording import NO_VALUE, group_digits

runs_blueprint = Blueprint("runs", __name__, url_prefix="/sites/runs")

_STEERED_WORDS: Final = {"pause": "runs.pause_begun", "resume": "runs.resume_begun", "stop": "runs.stop_begun"}
_REQUEST_COUNTERS: Final = ("fetched", "refused", "failed")


@runs_blueprint.get("/<string:id>")
@needs(Right.READ)
def show(id: str) -> str:
    """Show one run with its counts."""
    run = services().store.runs.get(id)
    name = _site_name(run)
    names = {run.subject.id: name} if run.subject and name else {}
    missed = find_missed_addresses(services().store, id)
    return render_template("sites/run.html", run=run, name=name, names=names, missed=missed, why=_end_reason(run))


@runs_blueprint.get("/going")
@needs(Right.READ)
def going() -> Response:
    """Return the progress of the active crawls. The page's script polls it every two seconds."""
    wanted = request.args.get("of")  # a site, an address or a batch, or all crawls if missing
    runs = [run for run in services().store.runs.active(RunKind.CRAWL) if wanted in (None, str(run.subject))]
    return jsonify(
        [
            {
                "id": run.id,
                "done": requested_addresses(run),
                "total": known_addresses(run),
                "state": run.state,
                "told": counts_line(run),
            }
            for run in runs
        ]
    )


@runs_blueprint.get("/<string:id>/waiting")
@needs(Right.READ)
def show_waiting(id: str) -> str | tuple[str, int]:
    """Show the waiting addresses of a crawl that match a pattern."""
    pattern, refusal = request.args.get("pattern", ""), None
    run = services().store.runs.get(id)
    try:
        waiting_urls = find_waiting(services().product, id, pattern)
    except BadInput as error:
        waiting_urls, refusal = None, site_refusal_words(error.message)
    names = {run.subject.id: name} if run.subject and (name := _site_name(run)) else {}
    page = render_template(
        "sites/waiting.html", run=run, names=names, pattern=pattern, found=waiting_urls, refusal=refusal
    )
    return (page, 400) if refusal else page


@runs_blueprint.post("/<string:id>/drop")
@needs(Right.CRAWL)
def drop_waiting(id: str) -> Response:
    """Drop the waiting addresses that match a pattern."""
    pattern = request.form.get("pattern", "")
    try:
        notice = t("runs.dropped", count=group_digits(drop_waiting_addresses(current_actor(), id, pattern)))
    except Conflict:
        notice = t("runs.cannot")
    except BadInput as error:
        notice = site_refusal_words(error.message)
    return redirect_to("runs.show_waiting", notice, id=id)


@runs_blueprint.post("/<string:id>/<string:to>")
@needs(Right.CRAWL)
def steer(id: str, to: str) -> Response:
    """Pause, resume or stop a crawl."""
    if to not in RUN_ACTIONS:
        abort(404)
    try:
        RUN_ACTIONS[to](current_actor(), id)
    except Conflict:
        return redirect_to("runs.show", t("runs.cannot"), id=id)
    return redirect_to("runs.show", t(_STEERED_WORDS[to]), id=id)


def requested_addresses(run: Run) -> int:
    """Count the requested addresses of a run."""
    return sum(run.counts.get(name, 0) for name in _REQUEST_COUNTERS)


def known_addresses(run: Run) -> int:
    """Count the requested and the waiting addresses of a run. It is 0 before the first request."""
    return requested_addresses(run) + run.counts.get("waiting", 0)


def counts_line(run: Run) -> str:
    """Join the counts of a run in one line."""
    return " · ".join(f"{counter_text(name)} {count:,}" for name, count in run.counts.items() if "_" not in name)


def problem_words(run: Run) -> str:
    """Describe the problem of a run. For a crawl that fetched no page, give the reason and advice."""
    if run.problem is None or run.problem.code != NO_PAGE_MESSAGE.code:
        return site_refusal_words(run.problem) if run.problem else ""
    return why_words(explain_no_page(services().product, run))


def noticed_words(message: Message) -> str:
    """Describe a difference from the previous crawl. It names the reason of missed addresses in words."""
    reason = message.figures.get("reason")
    figures = {**message.figures, "reason": miss_text(reason)} if isinstance(reason, str) else message.figures
    return replace(message, figures=figures).text(language())


def crawl_duration(run: Run) -> timedelta:
    """Return the time that a run spent crawling."""
    return timedelta(seconds=run.crawled_seconds)


def waiting_duration(run: Run) -> timedelta:
    """Return the time that a run waited for a crawler, rested or was paused."""
    return (run.ended_at or run.heartbeat_at) - run.started_at - crawl_duration(run)


def _end_reason(run: Run) -> str | None:
    """Return the reason why a crawl without a problem ended."""
    if run.ended_at is None or run.problem or run.kind is not RunKind.CRAWL:
        return None
    if run.state is RunState.STOPPING:
        return t("runs.why_stopped")
    if left := run.counts.get(f"refused_{PAGE_LIMIT_REASON}"):
        return t("runs.why_limit", count=group_digits(left))
    return t("runs.why_trap") if run.counts.get(f"refused_{SkipReason.TRAP}") else t("runs.why_done")


def subject_words(run: Run, names: Mapping[str, str]) -> str:
    """Name the subject of a run: the site's name, the index for a rebuild, or else the requested address or batch."""
    if run.subject is None:
        return NO_VALUE
    match run.subject.kind:
        case SubjectKind.SITE:
            return names.get(run.subject.id) or run.subject.id
        case SubjectKind.BATCH:
            return t("runs.of_batch", batch=run.subject.id)
        case SubjectKind.LIST:
            return t("runs.of_addresses", count=len(run.addresses))
        case SubjectKind.INDEX:
            return value_name("owner", run.subject.id)
        case SubjectKind.ADDRESS:
            return run.subject.id


def _site_name(run: Run) -> str | None:
    if run.subject is None or run.subject.kind is not SubjectKind.SITE:
        return None
    try:
        return services().store.sites.get(run.subject.id).name
    except NotFound:
        return None


def install_run_words(app: Flask) -> None:
    """Register these functions for templates."""
    for name, function in (
        ("run_done", requested_addresses),
        ("run_total", known_addresses),
        ("run_told", counts_line),
        ("run_problem", problem_words),
        ("noticed_words", noticed_words),
        ("steers", possible_actions),
        ("run_crawled", crawl_duration),
        ("run_waited", waiting_duration),
    ):
        app.add_template_global(function, name)
    app.add_template_global(subject_words, "run_of_what")


addresses_blueprint = Blueprint("addresses", __name__, url_prefix="/addresses")

_RECENT_RUNS: Final = 100  # of all crawls, among which the last requests are looked for
_SHOWN_REQUESTS: Final = 8
_MAX_NAMED: Final = 5  # lines that hold no address
_MAX_NAMED_CHARACTERS: Final = 40  # of each
_MAX_KEPT_BYTES: Final = 1_500  # of them in an address, since servers take about 4,000 bytes of one
# It opens the form with the page being read. As a link it runs where the reader puts it, and never on our pages.
_BOOKMARKLET: Final = "javascript:void(open('{form}?url='+encodeURIComponent(location.href)))"


@addresses_blueprint.get("/")
@needs(Right.READ)
def show_addresses() -> str:
    """Show the form, and the outcomes of the requested runs."""
    runs = [services().store.runs.get(id) for id in dict.fromkeys(request.args.getlist("run")[:MAX_ADDRESSES])]
    return _render_addresses(runs, pasted=request.args.get("url", "")[:MAX_ADDRESS_CHARACTERS])


@addresses_blueprint.post("/")
@needs(Right.CRAWL)
def take_addresses() -> Response | tuple[str, int]:
    """Fetch the pasted addresses. What is none is named with its line, and stands in the form again."""
    pasted = request.form.get("addresses", "")
    addresses, refused = find_addresses(pasted)
    kept = _lines_within_address(refused) if addresses else [words for _, words in refused]
    left_out = _name_left_out(refused, kept) if refused else None
    if left_out and not addresses:
        return _render_addresses([], pasted=pasted, refusal=left_out), 400
    try:
        runs = fetch_addresses(current_actor(), addresses, follow=bool(request.form.get("follow")))
    except (BadInput, TooLarge, Conflict) as error:
        return _render_addresses([], pasted=pasted, refusal=error.message.text(language())), 400
    if left_out:
        flash(left_out, "refused")
    kept_text = "\n".join(kept) or None
    return redirect_to("addresses.show_addresses", run=[run.id for run in runs], url=kept_text)


def _lines_within_address(refused: Sequence[NoAddress]) -> list[str]:
    """Return the first different lines that fit into an address, by which they come back into the form."""
    lines: list[str] = []
    for words in dict.fromkeys(words for _, words in refused):
        if len(quote("\n".join([*lines, words]))) > _MAX_KEPT_BYTES:
            break
        lines.append(words)
    return lines


def _name_left_out(refused: Sequence[NoAddress], kept: Sequence[str]) -> str:
    """Say which lines hold no address, and whether all stand in the form again. The first few are named."""
    lines = [
        t("addresses.line", line=line, words=words[:_MAX_NAMED_CHARACTERS]) for line, words in refused[:_MAX_NAMED]
    ]
    more = [t("addresses.more_lines", count=len(refused) - len(lines))] if len(refused) > len(lines) else []
    all_kept = {words for _, words in refused} <= set(kept)
    named = t("addresses.and").join([*lines, *more])
    return t("addresses.left_out", lines=named) if all_kept else t("addresses.left_out_many", lines=named)


def _render_addresses(runs: Sequence[Run], *, pasted: str, refusal: str | None = None) -> str:
    store = services().store
    outcomes = find_outcomes(services().product, runs)
    recent = [run for run in store.runs.recent(kind=RunKind.CRAWL, limit=_RECENT_RUNS) if run.addresses]
    return render_template(
        "sites/addresses.html",
        runs=runs,
        outcomes=outcomes,
        settled=sum(outcome.is_final for outcome in outcomes),
        pasted=pasted,
        refusal=refusal,
        recent=recent[:_SHOWN_REQUESTS],
        empty=not store.works.count(),
        limit=MAX_ADDRESSES,
        bookmarklet=_BOOKMARKLET.format(form=url_for("addresses.show_addresses", _external=True)),
    )
