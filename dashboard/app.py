"""Build the Flask application of the dashboard from ports that the composition root passes in."""

from pathlib import Path
from typing import Any, Final

from flask import Flask, render_template, request
from flask.json.provider import DefaultJSONProvider
from flask_wtf.csrf import CSRFError, CSRFProtect
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from dashboard.accounts.provider_views import provider_blueprint
from dashboard.accounts.sign_in import install_sessions, install_sign_in
from dashboard.accounts.user_views import users_blueprint
from dashboard.accounts.views import account_blueprint, api_docs_blueprint, password_blueprint
from dashboard.alerts.views import alerts_blueprint
from dashboard.analysis.views import analysis_blueprint, copy_map_blueprint
from dashboard.api import install_api
from dashboard.cases.case_page import captures_blueprint
from dashboard.cases.queue_views import preview_blueprint, suspects_blueprint
from dashboard.cases.views import case_blueprint
from dashboard.common.views import common_blueprint
from dashboard.configuration.views import settings_blueprint
from dashboard.crawls.views import addresses_blueprint, install_run_words, runs_blueprint
from dashboard.discovery.views import discoveries_blueprint
from dashboard.evidence.views import exhibits_blueprint, pictures_blueprint
from dashboard.exclusions.views import exclusions_blueprint
from dashboard.feeds.views import feeds_blueprint
from dashboard.frame.api_protocol import (
    http_error_response,
    install_request_ids,
    install_token_sign_in,
    is_api_request,
    product_error_response,
)
from dashboard.frame.compression import install_compression
from dashboard.frame.context import (
    EXTENSION_KEY,
    Services,
    install_language,
    install_messages,
    install_notification_counts,
    install_request_timing,
    install_tabs,
    services,
)
from dashboard.frame.display import counter_text, install_formats, miss_text, why_words
from dashboard.frame.requests import BoundedIntegerConverter, install_upload_limits
from dashboard.frame.security import (
    assets_blueprint,
    install_assets,
    install_permissions,
    install_rate_limits,
    install_security_headers,
    policy_reports_blueprint,
)
from dashboard.help.views import help_blueprint
from dashboard.holders.views import documents_blueprint, holders_blueprint
from dashboard.licences.views import licences_blueprint
from dashboard.marks.views import marks_blueprint
from dashboard.notices.platform_views import platforms_blueprint
from dashboard.notices.views import letter_blueprint, notices_blueprint, replies_blueprint
from dashboard.operations.views import audit_log_blueprint, health_blueprint, install_probes
from dashboard.pages.views import pages_blueprint
from dashboard.reports.views import links_blueprint, reports_blueprint, shared_blueprint, stored_reports_blueprint
from dashboard.search.views import overview_blueprint, search_blueprint
from dashboard.sites.site_views import site_access_blueprint, site_blueprint, site_trial_blueprint
from dashboard.sites.views import site_dossier_blueprint, sites_blueprint
from dashboard.texts.views import check_blueprint, fingerprints_blueprint
from dashboard.triage.views import triage_rules_blueprint
from dashboard.webhooks.views import webhooks_blueprint
from dashboard.works.form_views import upload_blueprint, work_form_blueprint
from dashboard.works.views import details_blueprint, works_blueprint
from wenhen.accounts.sessions import SessionLengths, session_lengths
from wenhen.context.use_cases import Product
from wenhen.kit.errors import BadInput, Conflict, Forbidden, NotFound, TooManyTries, Unavailable, WenhenError
from wenhen.operations.health import HealthCheck
from wenhen.settings.dashboard_and_sign_in import DashboardSettings

_MAX_FORM_BYTES: Final = 64 * 1024  # bytes, because most forms hold no more than a written reason
_FRAME_INSTALLERS: Final = (  # what every screen needs
    install_compression,  # first in the list, so Flask runs it last on each response
    install_request_timing,
    install_security_headers,
    install_language,
    install_formats,
    install_tabs,
    install_notification_counts,
    install_messages,
    install_assets,
    install_run_words,
    install_upload_limits,
    install_request_ids,
)
_SCREEN_BLUEPRINTS: Final = (
    account_blueprint,
    feeds_blueprint,
    password_blueprint,
    provider_blueprint,
    api_docs_blueprint,
    users_blueprint,
    audit_log_blueprint,
    settings_blueprint,
    webhooks_blueprint,
    alerts_blueprint,
    overview_blueprint,
    search_blueprint,
    analysis_blueprint,
    copy_map_blueprint,
    works_blueprint,
    work_form_blueprint,
    details_blueprint,
    holders_blueprint,
    documents_blueprint,
    upload_blueprint,
    suspects_blueprint,
    preview_blueprint,
    triage_rules_blueprint,
    case_blueprint,
    exclusions_blueprint,
    common_blueprint,
    exhibits_blueprint,
    letter_blueprint,
    notices_blueprint,
    replies_blueprint,
    platforms_blueprint,
    captures_blueprint,
    pictures_blueprint,
    check_blueprint,
    fingerprints_blueprint,
    addresses_blueprint,
    sites_blueprint,
    site_blueprint,
    site_access_blueprint,
    site_dossier_blueprint,
    site_trial_blueprint,
    pages_blueprint,
    runs_blueprint,
    licences_blueprint,
    marks_blueprint,
    discoveries_blueprint,
    health_blueprint,
    reports_blueprint,
    stored_reports_blueprint,
    links_blueprint,
    shared_blueprint,
    policy_reports_blueprint,
    assets_blueprint,
    help_blueprint,
)


def create_app(
    product: Product,
    *,
    secret_key: str | bytes,
    sign_in: bool,
    health: HealthCheck,
    lengths: SessionLengths | None = None,
    counts: str = "memory://",
    api_per_minute: int = 600,
) -> Flask:
    """Build the dashboard.

    Without `sign_in`, requests to a loopback host name are the administrator's. `counts` is the storage of the rate
    limits: `memory://` for one process, or the address of a Redis.
    """
    app = _make_flask(secret_key)
    app.extensions[EXTENSION_KEY] = Services(product=product, health=health)
    app.add_template_global(lambda: services().clock(), "clock")
    for install in _FRAME_INSTALLERS:
        install(app)
    install_sessions(app, lengths or session_lengths(DashboardSettings()))
    install_sign_in(app, asked=sign_in)
    install_token_sign_in(app)
    install_rate_limits(app, counts)
    install_permissions(app)
    forged = CSRFProtect(app)
    forged.exempt(policy_reports_blueprint)  # browsers send these without a token
    install_api(app, forged, per_minute=api_per_minute)
    for blueprint in _SCREEN_BLUEPRINTS:
        app.register_blueprint(blueprint)
    install_probes(app)
    _install_error_pages(app)
    return app


class ReadableJson(DefaultJSONProvider):
    """Writes Chinese as it is, because people read answers too and it takes half the bytes."""

    ensure_ascii = False

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """Return the JSON. A text with half a surrogate pair, which has no form in UTF-8, makes it ASCII."""
        text = super().dumps(obj, **kwargs)
        try:
            text.encode()
        except UnicodeEncodeError:
            return super().dumps(obj, **{**kwargs, "ensure_ascii": True})
        return text


def _make_flask(secret_key: str | bytes) -> Flask:
    """Create the Flask application with its templates and settings, before any extension is installed."""
    app = Flask(__name__)
    folders = sorted(Path(__file__).parent.glob("*/templates"))
    app.jinja_loader = ChoiceLoader([FileSystemLoader(folder) for folder in folders])
    app.url_map.converters["int"] = BoundedIntegerConverter
    app.json = ReadableJson(app)
    app.config.update(
        SECRET_KEY=secret_key,
        SESSION_COOKIE_NAME="wenhen",
        SESSION_COOKIE_SAMESITE="Lax",  # a link to a case in a message must open without a new sign-in
        MAX_FORM_MEMORY_SIZE=_MAX_FORM_BYTES,
        MAX_CONTENT_LENGTH=_MAX_FORM_BYTES,
        WTF_CSRF_TIME_LIMIT=None,  # a page that was open all day must still accept a decision
    )
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.add_template_global(counter_text, "counted")
    app.add_template_global(miss_text, "missed_for")
    app.add_template_global(why_words)
    return app


def _install_error_pages(app: Flask) -> None:
    """Answer every error with a page in the reader's language or with JSON, never with a stack trace."""
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
        if is_api_request():
            return product_error_response(error)
        status = next(status for kind, status in statuses.items() if isinstance(error, kind))
        return render_template("error.html", status=status, detail=error.message), status

    def http(error: HTTPException) -> tuple[str, int] | Response:
        if error.code is None or error.code < 400:
            return error.get_response(request.environ)
        if is_api_request():
            return http_error_response(error)
        expired = isinstance(error, CSRFError)
        return render_template("error.html", status=error.code, detail=None, expired=expired), error.code

    app.register_error_handler(WenhenError, ours)
    app.register_error_handler(HTTPException, http)
