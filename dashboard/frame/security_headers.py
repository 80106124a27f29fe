"""What the browser is told to refuse: everything that did not come from us."""

from typing import Final

from flask import Flask, Response, request

from dashboard.frame.browser_libraries import ENDPOINT

REPORTS: Final = "/policy-reports"  # where browsers tell of what they refused
_POLICY: Final = "; ".join(
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
        f"report-uri {REPORTS}",  # Firefox and Safari
        "report-to policy",
    )
)

# Views with a library whose style sheet holds its pictures itself.
DRAWN: Final = frozenset(("api_docs.show", "api_docs.make"))
_DRAWN: Final = _POLICY.replace("img-src 'self'", "img-src 'self' data:")


def _guard(response: Response) -> Response:
    headers = response.headers
    headers["Content-Security-Policy"] = _DRAWN if request.endpoint in DRAWN else _POLICY
    headers["Reporting-Endpoints"] = f'policy="{REPORTS}"'
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    # Crawled sites must not learn of a case from the address that a click came from.
    headers["Referrer-Policy"] = "same-origin"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000; includeSubDomains"
    if request.endpoint not in ("static", ENDPOINT):
        headers["Cache-Control"] = "no-store"
    return response


def install(app: Flask) -> None:
    """Put the headers on every answer."""
    app.after_request(_guard)
