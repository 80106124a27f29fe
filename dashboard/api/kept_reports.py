"""Reports that are made in the background and kept under a name."""

from typing import Any

from marshmallow import Schema, fields, validate
from werkzeug.wrappers import Response

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cases import CaseFilter
from dashboard.api.schemas import shown, words
from dashboard.frame.context import acting, services
from dashboard.reports.kept_reports import sent
from services.cases.case_filter import Filter
from services.reporting import kept_reports
from services.reporting.kept_reports import FORMATS, NAME_LENGTH, SHOWN
from store.records import KeptReport
from store.rules.rights import Right

blp = blueprint("reports", "Reports that are made in the background")

KeptReportOut = shown(KeptReport, leave_out=("due", "file_digest"))


class ReportIn(Schema):
    """Under which name, in which form, and of which cases."""

    name = words(NAME_LENGTH, least=1, required=True)
    format = fields.String(validate=validate.OneOf(FORMATS), load_default="pdf")
    filter = fields.Nested(CaseFilter, load_default=dict)


@blp.get("/reports")
@blp.response(200, KeptReportOut(many=True))
@scope(Right.EXPORT)
def find() -> list[KeptReport]:
    """The newest; `made_at` is null while one is made, `done` of `of` cases are gathered."""
    return services().store.kept_reports.newest(SHOWN)


@blp.post("/reports")
@blp.arguments(ReportIn)
@blp.response(202, KeptReportOut)
@scope(Right.EXPORT)
def ask(given: dict[str, Any]) -> KeptReport:
    """Have one made of the cases that fit, however many they are."""
    where = Filter(**given["filter"]).conditions(acting())
    return kept_reports.ask(acting(), given["name"], given["format"], **where)


@blp.get("/reports/<string:id>")
@blp.response(200, KeptReportOut)
@scope(Right.EXPORT)
def get(id: str) -> KeptReport:
    """How far it is."""
    return services().store.kept_reports.get(id)


@blp.get("/reports/<string:id>/file")
@blp.response(200, {"type": "string", "format": "binary"}, content_type="application/octet-stream")
@scope(Right.EXPORT)
def file(id: str) -> Response:
    """The file."""
    return sent(*kept_reports.hand_out(acting(), id))


@blp.delete("/reports/<string:id>")
@blp.response(204)
@scope(Right.EXPORT)
def remove(id: str) -> None:
    """Keep it no longer, or make it no more."""
    kept_reports.remove(acting(), id)
