"""Enforce rights and rate limits, and set security headers, cookie names and the Content Security Policy."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from flask import Blueprint, Flask, Response, abort, current_app, g, redirect, request, send_file, url_for
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter

from wenhen.accounts.model import User
from wenhen.accounts.sign_in_throttling import address_network
from wenhen.kit.errors import Forbidden
from wenhen.kit.rights import ActingToken, Right

# Permissions: every view of the screens and the API declares a right, which is checked before the view runs.


logger = logging.getLogger(__name__)
ViewFunction = TypeVar("ViewFunction", bound=Callable[..., object])


_RIGHT_ATTRIBUTE: Final = "wenhen_needs"
PROBE_ENDPOINTS: Final = ("livez", "readyz", "healthz")  # endpoints for machines, under any host name
_OPEN_TO_ALL: Final = "open to everybody"  # sign-in and the probes


def needs(right: Right) -> Callable[[ViewFunction], ViewFunction]:
    """Declare the right that a view requires, directly below its route. A user without it gets 403."""

    def mark(view: ViewFunction) -> ViewFunction:
        setattr(view, _RIGHT_ATTRIBUTE, right)
        return view

    return mark


def open_to_all(view: ViewFunction) -> ViewFunction:
    """Declare that a view answers everybody, signed in or not."""
    setattr(view, _RIGHT_ATTRIBUTE, _OPEN_TO_ALL)
    return view


def may(right: Right | str) -> bool:
    """Return whether the current user has the right. Templates use it to hide refused actions."""
    return right in g.get("rights", ())


def declared_right(app: Flask, endpoint: str) -> Right | str | None:
    """Return the right of an endpoint. None means that nothing was declared, so access is denied."""
    right: Right | str | None = getattr(app.view_functions[endpoint], _RIGHT_ATTRIBUTE, None)
    return right


def is_open_to_all() -> bool:
    """Return whether the current request needs no sign-in: an open view, or a static file."""
    endpoint = request.endpoint
    return endpoint == "static" or (endpoint is not None and declared_right(current_app, endpoint) == _OPEN_TO_ALL)


# People who are held to rights holders (`User.holders`) get through where this table says, and nowhere else. Behind
# these views, too, their store has the records of their holders alone (`wenhen.context.scoped_store`).


HOME_ENDPOINT: Final = "overview.show"
HELD_HOME_ENDPOINT: Final = "suspects.find"  # where held people go instead
_NARROWED: Final[Mapping[str, str]] = {  # views of a blueprint that are narrowed by holder
    "suspects": "find decide assign undo save forget choose_columns",
    "preview": "show",
    "case": "show decide go_on ask assign comment correct record_money remove_money undo",
    "works": "find names show",
    "notices": "find show",
    "search": "find go",
    "reports": "cases case",
    "api-cases": "find get site decide undo assign ask comments comment correct withdraw"
    " amounts record_money remove_money",
    "api-search": "find",
    "api-works": "find get",
    "api-notices": "find get",
    "api-system": "report workbook table printed case_printed case_report case_workbook case_page case_table",
}
_HOLDING_NOTHING: Final[Mapping[str, str]] = {  # views that hold nothing of any holder
    "account": (
        "show password mail begin_second_factor picture confirm_second_factor drop_second_factor end_sessions "
        "end_session make_token make_feed revoke_token"
    ),
    "help": "show guide document",
    "api-filters": "find put remove",
    "api-system": "me report_schema",
}
OPEN_TO_HELD: Final = frozenset(
    f"{blueprint}.{view}"
    for table in (_NARROWED, _HOLDING_NOTHING)
    for blueprint, views in table.items()
    for view in views.split()
)


def is_reader_held() -> bool:
    """Return whether the current user is held to rights holders."""
    account: User | None = g.get("account")
    return account is not None and bool(account.holders)


def may_open(endpoint: str) -> bool:
    """Return whether the current user gets through to a view, as far as holders are concerned."""
    return not is_reader_held() or endpoint in OPEN_TO_HELD


def install_permissions(app: Flask) -> None:
    """Check the right before every view. This runs after sign-in, which loads the rights."""

    def ask() -> ResponseReturnValue | None:
        if request.endpoint is None or is_open_to_all():  # unknown page or wrong method: let Flask answer
            return None
        right = declared_right(app, request.endpoint)
        if not isinstance(right, Right):
            abort(403, f"no right is declared for {request.endpoint}")
        if not may(right):
            logger.warning("%s asked for %s, which needs %s", g.get("user"), request.endpoint, right)
            abort(403)
        if not may_open(request.endpoint):
            if request.endpoint == HOME_ENDPOINT:
                return redirect(url_for(HELD_HOME_ENDPOINT))
            raise Forbidden("people.held")
        return None

    app.before_request(ask)
    app.add_template_global(may_open, "may_open")
    app.add_template_global(may, "may")


# Rate limits for each address or token. Redis holds the counts, so that all processes share them.


CALLS_PER_MINUTE_KEY: Final = "WENHEN_API_PER_MINUTE"  # in the configuration: calls per minute for one API token


def client_network() -> str:
    """Return the client's network for the rate limits: the IPv4 address, or the IPv6 network of a household."""
    return address_network(request.remote_addr or "")


def rate_limit_key() -> str:
    """Return the rate-limit key: the token of a program from any address, else the client's network."""
    token: ActingToken | None = g.get("token")
    return f"token:{token.id}" if token else client_network()


limiter: Final = Limiter(client_network, headers_enabled=True, in_memory_fallback_enabled=True, key_prefix="wenhen")


def limit_calls(part: Blueprint) -> None:
    """Count the requests to all parts of the API together."""
    limiter.shared_limit(
        lambda: f"{current_app.config[CALLS_PER_MINUTE_KEY]} per minute",
        scope="api",
        key_func=rate_limit_key,
        error_message="that was asked too often in a minute: go on after the seconds that Retry-After names",
    )(part)


def install_rate_limits(app: Flask, storage: str) -> None:
    """Store the counts in `memory://`, or at the address of a Redis."""
    app.config["RATELIMIT_STORAGE_URI"] = storage
    limiter.init_app(app)


# Cookie names. Over HTTPS, a prefix prevents other hosts and pages without TLS from setting them.


def cookie_name(name: str) -> str:
    """Return the cookie's name, over HTTPS with the prefix `__Host-` (RFC 6265bis).

    Browsers would refuse the prefix at loopback, which has no HTTPS.
    """
    return f"__Host-{name}" if request.is_secure else name


# JavaScript libraries, served by the dashboard from the Python wheels that contain them. The lock file pins their
# versions. Nothing is loaded from other hosts, and the source tree has no copy.


class BundledAsset(NamedTuple):
    """A file of a wheel."""

    wheel: str
    path: str
    type: str


_JS, _CSS = "text/javascript", "text/css"
_SWAGGER: Final = "flask_swagger_ui/dist/"
ASSETS: Final = {
    "swagger-ui.js": BundledAsset("flask-swagger-ui", f"{_SWAGGER}swagger-ui-bundle.js", _JS),
    "swagger-ui.css": BundledAsset("flask-swagger-ui", f"{_SWAGGER}swagger-ui.css", _CSS),
    "echarts.js": BundledAsset("instaui-echarts", "instaui_echarts/static/echarts.esm.min.js", _JS),
}
ASSET_ENDPOINT: Final = "assets.file"
FEEDS_BLUEPRINT: Final = "feeds"  # readers keep a feed and ask whether it changed
_ASSET_MAX_AGE_SECONDS: Final = 365 * 24 * 3600  # seconds: the address contains the version

assets_blueprint = Blueprint("assets", __name__, url_prefix="/assets")


@assets_blueprint.get("/<string:name>")
@open_to_all
def file(name: str) -> Response:
    """Send one of `ASSETS`."""
    asset = _locate_asset(name) if name in ASSETS else None
    if asset is None:
        abort(404)
    return send_file(asset[0], ASSETS[name].type, max_age=_ASSET_MAX_AGE_SECONDS)


def asset_url(name: str) -> str | None:
    """Return the address of one of `ASSETS` with its version, or None if its wheel is not installed."""
    asset = _locate_asset(name)
    return asset and url_for(ASSET_ENDPOINT, name=name, v=asset[1])


@cache
def _locate_asset(name: str) -> tuple[Path, str] | None:
    try:
        wheel = distribution(ASSETS[name].wheel)
    except PackageNotFoundError:
        return None
    return Path(str(wheel.locate_file(ASSETS[name].path))), wheel.version


def install_assets(app: Flask) -> None:
    """Register the addresses for templates."""
    app.add_template_global(asset_url)


# The Content Security Policy: the browser loads nothing from other hosts.


POLICY_REPORTS_PATH: Final = "/policy-reports"  # browsers report violations here
_CONTENT_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "object-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        f"report-uri {POLICY_REPORTS_PATH}",  # Firefox and Safari
        "report-to policy",
    )
)

# Views of a library whose style sheet contains its pictures.
VIEWS_WITH_DATA_IMAGES: Final = frozenset(("api_docs.show_api_docs", "api_docs.make_trial_token"))
_CONTENT_POLICY_WITH_DATA_IMAGES: Final = _CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:")


def _add_security_headers(response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = (
        _CONTENT_POLICY_WITH_DATA_IMAGES if request.endpoint in VIEWS_WITH_DATA_IMAGES else _CONTENT_POLICY
    )
    headers["Reporting-Endpoints"] = f'policy="{POLICY_REPORTS_PATH}"'
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    # The referrer must not reveal the case to crawled sites.
    headers["Referrer-Policy"] = "same-origin"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
    if request.endpoint not in ("static", ASSET_ENDPOINT):
        headers["Cache-Control"] = "private, no-cache" if request.blueprint == FEEDS_BLUEPRINT else "no-store"
    return response


def install_security_headers(app: Flask) -> None:
    """Add the headers to every response."""
    app.after_request(_add_security_headers)


# Browsers' reports on violations of the Content Security Policy: an attack, or a bug of ours.


policy_reports_blueprint = Blueprint("policy_reports", __name__)

_REPORT_FIELDS: Final = (  # the names of the Reporting API, and those of the older `report-uri`
    ("effectiveDirective", "effective-directive"),
    ("blockedURL", "blocked-uri"),
    ("documentURL", "document-uri"),
    ("sourceFile", "source-file"),
    ("lineNumber", "line-number"),
)
_MAX_FIELD_CHARACTERS: Final = 200  # characters of each
_MAX_REPORTS: Final = 10  # of one request


@policy_reports_blueprint.post(POLICY_REPORTS_PATH)
@open_to_all
@limiter.limit("30 per minute")
def take() -> tuple[str, int]:
    """Log one line for each report. Store nothing, because anybody may send reports."""
    try:
        sent = json.loads(request.get_data())
        for report in list(_parse_reports(sent))[:_MAX_REPORTS]:
            logger.warning("a page broke the policy: %s", _format_report(report))
    except (ValueError, RecursionError, AttributeError):
        abort(400)
    return "", 204


def _parse_reports(sent: Any) -> Iterator[Any]:
    if isinstance(sent, list):
        yield from (
            report["body"] for report in sent if isinstance(report, dict) and isinstance(report.get("body"), dict)
        )
        return
    report = sent.get("csp-report", sent)
    if not isinstance(report, dict):
        abort(400)
    yield report


def _format_report(report: dict[str, Any]) -> str:
    """Format a report as one line of printable characters."""
    values = (next((report[name] for name in names if name in report), None) for names in _REPORT_FIELDS)
    pairs = (
        (names[0], ascii(value)[:_MAX_FIELD_CHARACTERS])
        for names, value in zip(_REPORT_FIELDS, values, strict=True)
        if value
    )
    return ", ".join(f"{name} {value}" for name, value in pairs)
