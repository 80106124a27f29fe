"""Show the health of servers and queues and the audit log, retry failed steps, and answer health probes."""

import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from threading import Lock
from typing import Final, TypedDict

from flask import Blueprint, Flask, Response, abort, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t, value_name
from dashboard.frame.display import miss_text
from dashboard.frame.requests import (
    ROWS_PER_PAGE,
    current_paging,
    day_argument,
    day_end,
    day_start,
    form_choice,
    redirect_to,
)
from dashboard.frame.security import PROBE_ENDPOINTS, needs, open_to_all
from wenhen.backups.backup import request_backup, requested_backup
from wenhen.crawls.breakages import breakage_words, broken_sites
from wenhen.kit.errors import Conflict
from wenhen.kit.progress import OwnerKind, Step
from wenhen.kit.rights import Right
from wenhen.operations.health import ServerState, check_readiness
from wenhen.operations.problems import (
    drop_problems,
    failed_records,
    owner_names,
    problem_groups,
    retry_problems,
    retry_record,
)
from wenhen.reports.wording import NO_VALUE, catalogue, format_local_time
from wenhen.steps.problems import CRAWL, ProblemKind

health_blueprint = Blueprint("health", __name__, url_prefix="/health")

_MAX_PROBLEMS_SHOWN: Final = 100


@health_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the health of the servers and the progress of the steps."""
    store = services().store
    of_works, of_pages = store.works.count_by_step(), store.pages.count_by_step()
    problems = store.problems.recent(limit=_MAX_PROBLEMS_SHOWN, to_do=True)
    return render_template(
        "system/health.html",
        servers=services().health(),
        steps=[(step, of_works.get(step, 0), of_pages.get(step, 0)) for step in Step],
        set_aside=failed_records(services().product),
        kinds=problem_groups(services().product),
        broken=broken_sites(services().product),
        breakage_words=breakage_words,
        problems=problems,
        names=owner_names(services().product, (problem.owner for problem in problems if problem.owner)),
        problem_count=store.problems.count(to_do=True),
        problem_kind=_problem_kind_words,
        by_itself=store.problems.count() - store.problems.count(to_do=True),
        backup=requested_backup(services().product),
        backup_target=services().product.settings.backup.target,
    )


def _problem_kind_words(which: ProblemKind) -> str:
    """Name a kind of problem. Problems of a crawl have the names of its counters."""
    if which.kind is None:
        return NO_VALUE
    return miss_text(which.kind) if which.where == CRAWL else value_name("problem", which.kind)


@health_blueprint.post("/retry")
@needs(Right.OPERATE)
def retry() -> Response:
    """Retry the failed step of a record that was set aside (dead letter)."""
    try:
        retried = retry_record(current_actor(), form_choice("kind", OwnerKind), request.form.get("id", ""))
    except Conflict:
        return redirect_to("health.show", t("health.not_set_aside"))
    return redirect_to("health.show", t("health.retried" if retried else "health.retry_later"))


@health_blueprint.post("/backup")
@needs(Right.SETTINGS)
@shows_refusal(lambda refusal: redirect_to("health.show", refusal.text(language()), "refused", _anchor="backup"))
def begin_backup() -> Response:
    """Have a worker make a backup."""
    request_backup(current_actor())
    return redirect_to("health.show", t("backup.begun"), _anchor="backup")


@health_blueprint.post("/kinds")
@needs(Right.OPERATE)
def of_kind() -> Response:
    """Retry all problems of a kind, or drop them."""
    form = request.form
    try:
        which = ProblemKind(form["where"], form["kind"] or None, Step(form["step"]) if form["step"] else None)
        do = {"retry": retry_problems, "drop": drop_problems}[form["do"]]
    except (KeyError, ValueError):
        abort(400)
    return redirect_to("health.show", t("health.kind_done", count=do(current_actor(), which)))


# Probes for machines: is the process alive, is it ready, is the whole product healthy? They are open to all, so they
# return names only.
#
# `/livez` checks nothing but the process. `/readyz` is 200 if the servers that every screen needs answer. `/healthz` is
# 200 if servers, indexes, disks, one worker for each queue, and the clock are well. Each returns what it checked, and
# when.


_HEALTH_CACHE_SECONDS: Final = 5.0  # seconds: strangers may ask at any rate, and each check queries every worker

ProbeAnswer = tuple[dict[str, object], int]


class _CachedHealth:
    """Cache the health check, and repeat it when it is too old. Only one thread checks at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._seen: Mapping[str, ServerState] = {}
        self._at: datetime | None = None
        self._until = 0.0

    def __call__(self) -> ProbeAnswer:
        with self._lock:
            if self._at is None or time.monotonic() >= self._until:
                self._at, self._seen = services().clock(), services().health()
                self._until = time.monotonic() + _HEALTH_CACHE_SECONDS
            return _probe_answer(self._seen, self._at)


def _probe_answer(seen: Mapping[str, ServerState], moment: datetime) -> ProbeAnswer:
    well = all(state.answers for state in seen.values())
    checked = {name: "ok" if state.answers else "failed" for name, state in seen.items()}
    answer: dict[str, object] = {"status": "ok" if well else "failed", "at": moment.isoformat(), "checked": checked}
    return answer, 200 if well else 503


def install_probes(app: Flask) -> None:
    """Install all three probes."""
    probes: dict[str, Callable[[], ProbeAnswer]] = {
        "livez": lambda: _probe_answer({"process": ServerState(True, ())}, services().clock()),
        "readyz": lambda: _probe_answer(check_readiness(services().product), services().clock()),
        "healthz": _CachedHealth(),
    }
    for name in PROBE_ENDPOINTS:
        app.add_url_rule(f"/{name}", name, open_to_all(_probe_view(probes[name])))


def _probe_view(probe: Callable[[], ProbeAnswer]) -> Callable[[], ProbeAnswer]:
    def view() -> ProbeAnswer:
        return probe()

    return view


audit_log_blueprint = Blueprint("audit", __name__, url_prefix="/audit")

_ACTION_PREFIX = "audit."
_UTC_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")


class AuditFilter(TypedDict):
    """The conditions of the entries to list. None accepts every value."""

    who: str | None
    action: str | None
    subject: str | None
    token: str | None
    sha256: str | None
    since: datetime | None
    until: datetime | None


@audit_log_blueprint.get("/")
@needs(Right.AUDIT)
def show_audit_log() -> str:
    """Show the entries that match the filter, newest first."""
    audit, wanted = services().store.audit, _requested_filter()
    page = current_paging(audit.count(**wanted))
    entries = audit.find(**wanted, skip=page.skip, limit=ROWS_PER_PAGE)
    return render_template(
        "system/audit.html", entries=entries, paging=page, form=request.args, actions=_action_names()
    )


@audit_log_blueprint.app_template_filter("logged")
def format_logged_value(value: str | None) -> str:
    """Format an old or new value: one field a line, times in Beijing. The stored entry keeps the exact value."""
    if value is None:
        return NO_VALUE
    try:
        fields = json.loads(value)
    except ValueError:
        return value
    if not isinstance(fields, dict):
        return value
    return "\n".join(f"{name}: {_format_logged_field(field)}" for name, field in fields.items())


def _format_logged_field(value: object) -> str:
    if value is None:
        return NO_VALUE
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return format_local_time(datetime.fromisoformat(value)) if _UTC_MOMENT.fullmatch(value) else value


def _requested_filter() -> AuditFilter:
    """Parse the filter in the current address. Its days are in Beijing time, and both are inclusive."""

    def argument(name: str) -> str | None:
        return request.args.get(name, "").strip() or None

    return AuditFilter(
        who=argument("who"),
        action=argument("action"),
        subject=argument("subject"),
        token=argument("token"),
        sha256=(argument("sha256") or "").lower() or None,
        since=day_start(day_argument("since")),
        until=day_end(day_argument("until")),
    )


def _action_names() -> list[tuple[str, str]]:
    """Return all actions with a label, and their labels."""
    words = catalogue()
    return [
        (key.removeprefix(_ACTION_PREFIX), words.text(language(), key))
        for key in sorted(words.entries)
        if key.startswith(_ACTION_PREFIX)
    ]
