"""The factory of the web application; it takes ports, the composition root hands them in."""

from pathlib import Path
from typing import Final

from flask import Flask, render_template, request
from flask_wtf.csrf import CSRFError, CSRFProtect
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from dashboard import api
from dashboard.access import account, api_docs, sessions, users
from dashboard.access import sign_in as signing_in
from dashboard.alerts import alerts
from dashboard.api import bearer, error_answers
from dashboard.cases import captures, case, check, exclusions, exhibits, fingerprints, pictures
from dashboard.cases.queue import preview, suspects, triage_rules
from dashboard.figures import analysis, copy_map, overview
from dashboard.frame import (
    bell,
    browser_libraries,
    display,
    language,
    permissions,
    rate_limits,
    request_timing,
    security_headers,
    shown_errors,
    tabs,
    uploads,
)
from dashboard.frame.address_numbers import Number
from dashboard.frame.context import KEY, Services, services
from dashboard.frame.reason_words import counted, missed_for, why_words
from dashboard.notices import notice, notices, platforms, replies
from dashboard.reports import kept_reports, reports
from dashboard.search import search
from dashboard.sites import discoveries, pages, runs, site, site_access, site_dossier, site_trial, sites
from dashboard.system import audit_log, broken_content_policy, probes, webhooks
from dashboard.system import health as health_screen
from dashboard.works import details, holders, intake, licences, papers, work_form, works
from services.context import Product
from services.people.sessions import Lengths
from services.upkeep.health import Health
from store.errors import BadInput, Conflict, Forbidden, NotFound, TooManyTries, Unavailable, WenhenError

_FORM_LIMIT: Final = 64 * 1024  # bytes; forms here carry a reason at most
_FRAME: Final = (  # what stands around every screen
    request_timing.install,
    security_headers.install,
    language.install,
    display.install,
    tabs.install,
    bell.install,
    shown_errors.install,
    browser_libraries.install,
    runs.install,
    uploads.install,
    error_answers.install,
)
_SCREENS: Final = (
    account.blueprint,
    api_docs.blueprint,
    users.blueprint,
    audit_log.blueprint,
    webhooks.blueprint,
    alerts.blueprint,
    overview.blueprint,
    search.blueprint,
    analysis.blueprint,
    copy_map.blueprint,
    works.blueprint,
    work_form.blueprint,
    details.blueprint,
    holders.blueprint,
    papers.blueprint,
    intake.blueprint,
    suspects.blueprint,
    preview.blueprint,
    triage_rules.blueprint,
    case.blueprint,
    exclusions.blueprint,
    exhibits.blueprint,
    notice.blueprint,
    notices.blueprint,
    replies.blueprint,
    platforms.blueprint,
    captures.blueprint,
    pictures.blueprint,
    check.blueprint,
    fingerprints.blueprint,
    sites.blueprint,
    site.blueprint,
    site_access.blueprint,
    site_dossier.blueprint,
    site_trial.blueprint,
    pages.blueprint,
    runs.blueprint,
    licences.blueprint,
    discoveries.blueprint,
    health_screen.blueprint,
    reports.blueprint,
    kept_reports.blueprint,
    broken_content_policy.blueprint,
    browser_libraries.blueprint,
)


def create_app(
    product: Product,
    *,
    secret_key: str | bytes,
    sign_in: bool,
    health: Health,
    lengths: Lengths | None = None,
    counts: str = "memory://",
    api_per_minute: int = 600,
) -> Flask:
    """Build the dashboard.

    Without `sign_in` whoever comes by a loopback host name is the administrator. counts: where requests are counted,
    `memory://` for one process or the address of a Redis.
    """
    app = _flask(secret_key)
    app.extensions[KEY] = Services(product=product, health=health)
    app.add_template_global(lambda: services().clock(), "clock")
    for install in _FRAME:
        install(app)
    sessions.install(app, lengths or Lengths())
    signing_in.install(app, asked=sign_in)
    bearer.install(app)
    rate_limits.install(app, counts)
    permissions.install(app)
    forged = CSRFProtect(app)
    forged.exempt(broken_content_policy.blueprint)  # browsers send them by themselves
    api.install(app, forged, per_minute=api_per_minute)
    for blueprint in _SCREENS:
        app.register_blueprint(blueprint)
    probes.install(app)
    _answer_errors(app)
    return app


def _flask(secret_key: str | bytes) -> Flask:
    """Flask as we want it, without a part of ours but words for templates."""
    app = Flask(__name__)
    folders = sorted(Path(__file__).parent.glob("*/templates"))
    app.jinja_loader = ChoiceLoader([FileSystemLoader(folder) for folder in folders])
    app.url_map.converters["int"] = Number
    app.config.update(
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME="wenhen",
        SESSION_COOKIE_SAMESITE="Lax",  # a link to a case in a message must not ask for sign-in again
        MAX_FORM_MEMORY_SIZE=_FORM_LIMIT,
        MAX_CONTENT_LENGTH=_FORM_LIMIT,
        WTF_CSRF_TIME_LIMIT=None,  # a page that was open all day must still take a decision
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.add_template_global(counted, "counted")
    app.add_template_global(missed_for, "missed_for")
    app.add_template_global(why_words)
    return app


def _answer_errors(app: Flask) -> None:
    """Every error gets a page in the reader's language, or its JSON, and never a stack trace."""
    statuses: dict[type[WenhenError], int] = {
        NotFound: 404,
        BadInput: 400,
        Conflict: 409,
        Forbidden: 403,
        TooManyTries: 429,
        Unavailable: 503,
        WenhenError: 500,
    }

    def ours(error: WenhenError) -> tuple[str, int] | Response:
        if error_answers.asked():
            return error_answers.of_ours(error)
        status = next(status for kind, status in statuses.items() if isinstance(error, kind))
        return render_template("error.html", status=status, detail=error.message), status

    def http(error: HTTPException) -> tuple[str, int] | Response:
        if error.code is None or error.code < 400:
            return error.get_response(request.environ)
        if error_answers.asked():
            return error_answers.of_http(error)
        expired = isinstance(error, CSRFError)
        return render_template("error.html", status=error.code, detail=None, expired=expired), error.code

    app.register_error_handler(WenhenError, ours)
    app.register_error_handler(HTTPException, http)
