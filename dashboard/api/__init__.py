"""The API: the same use cases as the screens, for programs, under /api/v1, described by OpenAPI 3.1."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from flask import Flask, Response, jsonify, request
from flask_smorest import Api
from flask_wtf.csrf import CSRFProtect

from dashboard.api import analysis, bearer, error_answers, search
from dashboard.api.cases import cases, clusters, exclusions, exhibits, filters, triage_rules
from dashboard.api.notices import notices
from dashboard.api.sites import captures, discoveries, mirrors, runs, site_access, sites
from dashboard.api.system import alerts, audit, health, people, reports, webhooks
from dashboard.api.works import holders, licences, texts, works
from dashboard.frame.address_numbers import Number
from dashboard.frame.permissions import open_to_all
from dashboard.frame.rate_limits import PER_MINUTE

DESCRIPTION: Final = "openapi"
_PARTS: Final = (
    works.blp,
    holders.blp,
    cases.blp,
    captures.blp,
    exclusions.blp,
    exhibits.blp,
    filters.blp,
    triage_rules.blp,
    clusters.blp,
    analysis.blp,
    texts.blp,
    search.blp,
    sites.blp,
    runs.blp,
    site_access.blp,
    mirrors.blp,
    discoveries.blp,
    licences.blp,
    notices.blp,
    health.blp,
    audit.blp,
    reports.blp,
    people.blp,
    webhooks.blp,
    alerts.blp,
)


class _Api(Api):
    ERROR_SCHEMA = error_answers.ErrorSchema

    def __init__(self, app: Flask, **options: Any) -> None:
        self.to_describe: list[Callable[[], None]] = []  # each adds a part of the API to the description
        self._one_at_a_time = Lock()
        super().__init__(app, **options)

    def description(self) -> dict[str, Any]:
        """The whole API in OpenAPI's terms."""
        with self._one_at_a_time:
            while self.to_describe:
                self.to_describe.pop(0)()
        described: dict[str, Any] = self.spec.to_dict()
        return described

    def _register_error_handlers(self) -> None:
        """Errors are answered by `dashboard.app`, which tells the API from the screens."""


def describe() -> dict[str, Any]:
    """The whole API in OpenAPI's terms, without a product behind it."""
    app = Flask(__name__)
    app.url_map.converters["int"] = Number
    return install(app, CSRFProtect(), per_minute=1).description()


def install(app: Flask, csrf: CSRFProtect, *, per_minute: int) -> _Api:
    """Add the API. Forged forms are nothing to it: no cookie opens it."""
    app.config.update(
        {
            "API_TITLE": "文痕 Wenhen",
            "API_VERSION": "v1",
            "OPENAPI_VERSION": "3.1.0",
            PER_MINUTE: per_minute,
        }
    )
    api = _Api(app, spec_kwargs={"security": [{"bearer": []}], "info": {"description": __doc__}})
    api.spec.components.security_scheme(
        "bearer", {"type": "http", "scheme": "bearer", "description": "A token of a user: wenhen_…"}
    )
    for blp in dict.fromkeys(_PARTS):  # several files may hold one part
        csrf.exempt(blp)
        api.register_blueprint(blp)
    app.add_url_rule("/api/v1/openapi.json", DESCRIPTION, open_to_all(lambda: jsonify(api.description())))
    app.after_request(_tag)
    return api


def _tag(response: Response) -> Response:
    """What has not changed since the caller last saw it is not sent again."""
    if request.path.startswith(bearer.PREFIX) and request.method == "GET" and response.status_code == 200:
        if not response.is_streamed:
            response.add_etag()
        response.make_conditional(request)
    return response
