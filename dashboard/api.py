"""The API: the same use cases as the screens, for programs, under /api/v1, described by OpenAPI 3.1."""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final

from flask import Flask, Response, jsonify, request
from flask_smorest import Api
from flask_wtf.csrf import CSRFProtect

from dashboard.accounts.api import filters_blp, people_blp
from dashboard.analysis.api import analysis_blp
from dashboard.cases.api import cases_blp
from dashboard.common.api import common_blp
from dashboard.crawls.api import discoveries_blp
from dashboard.evidence.api import exhibits_blp
from dashboard.exclusions.api import exclusions_blp
from dashboard.frame.api_protocol import API_PREFIX, ErrorSchema
from dashboard.frame.requests import BoundedIntegerConverter
from dashboard.frame.security import CALLS_PER_MINUTE_KEY, open_to_all
from dashboard.holders.api import holders_blp
from dashboard.licences.api import licences_blp
from dashboard.marks.api import marks_blp
from dashboard.notices.api import notices_blp
from dashboard.operations.api import system_blp
from dashboard.pages.api import captures_blp
from dashboard.reports.api import reports_blp
from dashboard.search.api import search_blp
from dashboard.sites.access_api import mirrors_blp, site_access_blp
from dashboard.sites.api import sites_blp
from dashboard.texts.api import clusters_blp, texts_blp
from dashboard.triage.api import triage_rules_blp
from dashboard.webhooks.api import webhooks_blp
from dashboard.works.api import works_blp

DESCRIPTION_ENDPOINT: Final = "openapi"
_API_BLUEPRINTS: Final = (
    works_blp,
    common_blp,
    holders_blp,
    cases_blp,
    captures_blp,
    exclusions_blp,
    exhibits_blp,
    filters_blp,
    triage_rules_blp,
    clusters_blp,
    analysis_blp,
    texts_blp,
    search_blp,
    sites_blp,
    site_access_blp,
    mirrors_blp,
    discoveries_blp,
    licences_blp,
    marks_blp,
    notices_blp,
    system_blp,
    reports_blp,
    people_blp,
    webhooks_blp,
)


class _Api(Api):
    ERROR_SCHEMA = ErrorSchema

    def __init__(self, app: Flask, **options: Any) -> None:
        self.to_describe: list[Callable[[], None]] = []  # each adds one part of the API to the description
        self._one_at_a_time = Lock()
        super().__init__(app, **options)

    def description(self) -> dict[str, Any]:
        """Return the OpenAPI description of the whole API."""
        with self._one_at_a_time:
            while self.to_describe:
                self.to_describe.pop(0)()
        described: dict[str, Any] = self.spec.to_dict()
        return described

    def _register_error_handlers(self) -> None:
        """Register no handlers: `dashboard.app` answers errors, and distinguishes the API from the screens."""


def describe_api() -> dict[str, Any]:
    """Return the OpenAPI description of the whole API, without a running product."""
    app = Flask(__name__)
    app.url_map.converters["int"] = BoundedIntegerConverter
    return install_api(app, CSRFProtect(), per_minute=1).description()


def install_api(app: Flask, csrf: CSRFProtect, *, per_minute: int) -> _Api:
    """Add the API. It needs no CSRF protection, because it ignores cookies."""
    app.config.update(
        {
            "API_TITLE": "文痕 Wenhen",
            "API_VERSION": "v1",
            "OPENAPI_VERSION": "3.1.0",
            CALLS_PER_MINUTE_KEY: per_minute,
        }
    )
    api = _Api(app, spec_kwargs={"security": [{"bearer": []}], "info": {"description": __doc__}})
    api.spec.components.security_scheme(
        "bearer", {"type": "http", "scheme": "bearer", "description": "A token of a user: wenhen_…"}
    )
    for blp in dict.fromkeys(_API_BLUEPRINTS):  # reports and the system share a blueprint
        csrf.exempt(blp)
        api.register_blueprint(blp)
    app.add_url_rule("/api/v1/openapi.json", DESCRIPTION_ENDPOINT, open_to_all(lambda: jsonify(api.description())))
    app.after_request(_add_etag)
    return api


def _add_etag(response: Response) -> Response:
    """Add an ETag, and answer 304 if the content has not changed since the caller last read it."""
    if request.path.startswith(API_PREFIX) and request.method == "GET" and response.status_code == 200:
        if not response.is_streamed:
            response.add_etag()
        response.make_conditional(request)
    return response
