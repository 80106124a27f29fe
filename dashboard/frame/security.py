"""Enforce rights and rate limits, and set security headers, cookie names and the Content Security Policy."""

import json
import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from flask import Blueprint, Flask, abort, current_app, g, request, send_file, url_for
from flask import Response as FlaskResponse
from flask.typing import ResponseReturnValue
from flask_limiter import Limiter
from werkzeug.wrappers import Response as WerkzeugResponse

from wenhen.accounts.passwords import address_network
from wenhen.kit.rights import ActingToken, Right

# Who may see what: the right that each view declares, asked before every view of the browser and of the API.


logger = logging.getLogger(__name__)
ViewFunction = TypeVar("ViewFunction", bound=Callable[..., object])


_RIGHT_ATTRIBUTE: Final = "wenhen_needs"
PROBE_ENDPOINTS: Final = ("livez", "readyz", "healthz")  # endpoints that machines ask, by whatever name
_OPEN_TO_ALL: Final = "open to everybody"  # sign-in and the probes


def needs(right: Right) -> Callable[[ViewFunction], ViewFunction]:
    """Declare what a view needs, right below its route; whoever lacks it is answered 403."""

    def mark(view: ViewFunction) -> ViewFunction:
        setattr(view, _RIGHT_ATTRIBUTE, right)
        return view

    return mark


def open_to_all(view: ViewFunction) -> ViewFunction:
    """Declare that a view answers to whoever asks, signed in or not."""
    setattr(view, _RIGHT_ATTRIBUTE, _OPEN_TO_ALL)
    return view


def may(right: Right | str) -> bool:
    """Whether the present user has the right; templates ask it to leave out what would be refused."""
    return right in g.get("rights", ())


def declared_right(app: Flask, endpoint: str) -> Right | str | None:
    """What the view behind an endpoint needs; None where nothing was declared, and so nobody gets in."""
    right: Right | str | None = getattr(app.view_functions[endpoint], _RIGHT_ATTRIBUTE, None)
    return right


def is_open_to_all() -> bool:
    """Whether the present request asks for what needs no sign-in: such a view, or a file of ours."""
    endpoint = request.endpoint
    return endpoint == "static" or (endpoint is not None and declared_right(current_app, endpoint) == _OPEN_TO_ALL)


def install_permissions(app: Flask) -> None:
    """Ask before every view; it comes after sign-in, which knows the rights."""

    def ask() -> ResponseReturnValue | None:
        if request.endpoint is None or is_open_to_all():  # no such page, or the wrong method: answered as such
            return None
        right = declared_right(app, request.endpoint)
        if not isinstance(right, Right):
            abort(403, f"no right is declared for {request.endpoint}")
        if not may(right):
            logger.warning("%s asked for %s, which needs %s", g.get("user"), request.endpoint, right)
            abort(403)
        return None

    app.before_request(ask)
    app.add_template_global(may, "may")


# How often an address, or a token, may ask; counted in Redis, so that every process counts together.


CALLS_PER_MINUTE_KEY: Final = "WENHEN_API_PER_MINUTE"  # in the configuration: how often one token of the API may ask


def client_network() -> str:
    """Who is counted: the address, of an IPv6 one the network that a household has."""
    return address_network(request.remote_addr or "")


def rate_limit_key() -> str:
    """A program by its token, whatever address it calls from."""
    token: ActingToken | None = g.get("token")
    return f"token:{token.id}" if token else client_network()


limiter: Final = Limiter(client_network, headers_enabled=True, in_memory_fallback_enabled=True, key_prefix="wenhen")


def limit_calls(part: Blueprint) -> None:
    """Count what is asked of a part of the API together with what is asked of the others."""
    limiter.shared_limit(
        lambda: f"{current_app.config[CALLS_PER_MINUTE_KEY]} per minute",
        scope="api",
        key_func=rate_limit_key,
        error_message="that was asked too often in a minute: go on after the seconds that Retry-After names",
    )(part)


def install_rate_limits(app: Flask, storage: str) -> None:
    """Count there: `memory://`, or the address of a Redis."""
    app.config["RATELIMIT_STORAGE_URI"] = storage
    limiter.init_app(app)


# What our cookies are called: over HTTPS so that no other host, and no page sent without TLS, can set them.


def cookie_name(name: str) -> str:
    """The name, with the prefix `__Host-` (RFC 6265bis) over HTTPS; at loopback there is none, and browsers would
    refuse it.
    """
    return f"__Host-{name}" if request.is_secure else name


# Libraries that run in the browser, served by ourselves out of the Python wheels that carry them, and so pinned by the
# lock: nothing is fetched from elsewhere, and none of it lies in our source.


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
_ASSET_MAX_AGE_SECONDS: Final = 365 * 24 * 3600  # seconds; the address carries the version

assets_blueprint = Blueprint("assets", __name__, url_prefix="/assets")


@assets_blueprint.get("/<string:name>")
@open_to_all
def file(name: str) -> WerkzeugResponse:
    """One of `ASSETS`."""
    asset = _locate_asset(name) if name in ASSETS else None
    if asset is None:
        abort(404)
    return send_file(asset[0], ASSETS[name].type, max_age=_ASSET_MAX_AGE_SECONDS)


def asset_url(name: str) -> str | None:
    """The address of one of `ASSETS`, with its version; None where its wheel is not installed."""
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
    """Offer the addresses to templates."""
    app.add_template_global(asset_url)


# What the browser is told to refuse: everything that did not come from us.


POLICY_REPORTS_PATH: Final = "/policy-reports"  # where browsers tell of what they refused
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

# Views with a library whose style sheet holds its pictures itself.
VIEWS_WITH_DATA_IMAGES: Final = frozenset(("api_docs.show", "api_docs.make"))
_CONTENT_POLICY_WITH_DATA_IMAGES: Final = _CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:")


def _add_security_headers(response: FlaskResponse) -> FlaskResponse:
    headers = response.headers
    headers["Content-Security-Policy"] = (
        _CONTENT_POLICY_WITH_DATA_IMAGES if request.endpoint in VIEWS_WITH_DATA_IMAGES else _CONTENT_POLICY
    )
    headers["Reporting-Endpoints"] = f'policy="{POLICY_REPORTS_PATH}"'
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    # Crawled sites must not learn of a case from the address that a click came from.
    headers["Referrer-Policy"] = "same-origin"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
    if request.endpoint not in ("static", ASSET_ENDPOINT):
        headers["Cache-Control"] = "no-store"
    return response


def install_security_headers(app: Flask) -> None:
    """Put the headers on every answer."""
    app.after_request(_add_security_headers)


# What browsers tell of a page of ours that broke the Content Security Policy: somebody tries a hole, or we slipped.


policy_reports_blueprint = Blueprint("policy_reports", __name__)

_REPORT_FIELDS: Final = (  # the words of the Reporting API, and those of the older `report-uri`
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
    """Write a line into the log for each; nothing is kept, as anybody may send them."""
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
    """What happened, in one line that holds nothing but printable characters."""
    values = (next((report[name] for name in names if name in report), None) for names in _REPORT_FIELDS)
    pairs = (
        (names[0], ascii(value)[:_MAX_FIELD_CHARACTERS])
        for names, value in zip(_REPORT_FIELDS, values, strict=True)
        if value
    )
    return ", ".join(f"{name} {value}" for name, value in pairs)
