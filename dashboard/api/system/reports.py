"""Reports: of the cases that fit and of one case, made at once, and those that are made in the background and kept."""

from typing import Any, Final

from marshmallow import Schema, fields, validate
from werkzeug.wrappers import Response

from dashboard.api.blueprint import scope
from dashboard.api.cases.cases import CaseFilter
from dashboard.api.schemas import FILE, shown, words
from dashboard.api.system.health import blp
from dashboard.export.download import download
from dashboard.export.formats import TYPES, Format
from dashboard.export.json_report import schema
from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.reports.kept_reports import sent
from services.cases.case_filter import Filter
from services.reporting import kept_reports
from services.reporting.kept_reports import FORMATS, NAME_LENGTH, SHOWN
from services.reporting.made_at_once import may_be_made_at_once
from store.records import KeptReport
from store.rules.role_rights import Right

_WORKBOOK: Final = TYPES["xlsx"]
_SCHEMA: Final = "application/schema+json"


@blp.get("/reports/cases.json")
@blp.arguments(CaseFilter, location="query")
@blp.response(200, {"type": "object"}, content_type="application/json")
@scope(Right.EXPORT, part="system")
def report(query: dict[str, Any]) -> Response:
    """The report of the cases that fit."""
    return _of_cases(query, "json")


@blp.get("/reports/schema.json")
@blp.response(200, {"type": "object"}, content_type=_SCHEMA)
@scope(Right.READ, part="system")
def report_schema() -> Response:
    """What a report holds, as JSON Schema 2020-12."""
    return Response(schema(), mimetype=_SCHEMA)


@blp.get("/reports/cases.xlsx")
@blp.arguments(CaseFilter, location="query")
@blp.response(200, FILE, content_type=_WORKBOOK)
@scope(Right.EXPORT, part="system")
def workbook(query: dict[str, Any]) -> Response:
    """The same as a workbook."""
    return _of_cases(query, "xlsx")


@blp.get("/reports/cases.csv")
@blp.arguments(CaseFilter, location="query")
@blp.response(200, FILE, content_type=TYPES["csv"])
@scope(Right.EXPORT, part="system")
def table(query: dict[str, Any]) -> Response:
    """The same as a table, a row a case."""
    return _of_cases(query, "csv")


@blp.get("/reports/cases.pdf")
@blp.arguments(CaseFilter, location="query")
@blp.response(200, FILE, content_type=TYPES["pdf"])
@scope(Right.EXPORT, part="system")
def printed(query: dict[str, Any]) -> Response:
    """The same to be printed: PDF/A-3 with the workbook inside."""
    return _of_cases(query, "pdf")


@blp.get("/cases/<int:number>/report.pdf")
@blp.response(200, FILE, content_type=TYPES["pdf"])
@scope(Right.EXPORT, part="system")
def case_printed(number: int) -> Response:
    """The report of one case, to be printed."""
    return _of_case(number, "pdf")


@blp.get("/cases/<int:number>/report.json")
@blp.response(200, {"type": "object"}, content_type="application/json")
@scope(Right.EXPORT, part="system")
def case_report(number: int) -> Response:
    """The report of one case."""
    return _of_case(number, "json")


@blp.get("/cases/<int:number>/report.xlsx")
@blp.response(200, FILE, content_type=_WORKBOOK)
@scope(Right.EXPORT, part="system")
def case_workbook(number: int) -> Response:
    """The same as a workbook."""
    return _of_case(number, "xlsx")


@blp.get("/cases/<int:number>/report.html")
@blp.response(200, FILE, content_type=TYPES["html"])
@scope(Right.EXPORT, part="system")
def case_page(number: int) -> Response:
    """The same as a page that stands alone, for people without an account."""
    return _of_case(number, "html")


@blp.get("/cases/<int:number>/report.csv")
@blp.response(200, FILE, content_type=TYPES["csv"])
@scope(Right.EXPORT, part="system")
def case_table(number: int) -> Response:
    """The same as a table of one row."""
    return _of_case(number, "csv")


KeptReportOut = shown(KeptReport, leave_out=("due", "file_digest"))


class ReportIn(Schema):
    """Under which name, in which form, and of which cases."""

    name = words(NAME_LENGTH, least=1, required=True)
    format = fields.String(validate=validate.OneOf(FORMATS), load_default="pdf")
    filter = fields.Nested(CaseFilter, load_default=dict)


@blp.get("/reports")
@blp.response(200, KeptReportOut(many=True))
@scope(Right.EXPORT, part="system")
def kept() -> list[KeptReport]:
    """The newest; `made_at` is null while one is made, `done` of `of` cases are gathered."""
    return services().store.kept_reports.newest(SHOWN)


@blp.post("/reports")
@blp.arguments(ReportIn)
@blp.response(202, KeptReportOut)
@scope(Right.EXPORT, part="system")
def ask_for_report(given: dict[str, Any]) -> KeptReport:
    """Have one made of the cases that fit, however many they are."""
    where = Filter(**given["filter"]).conditions(acting())
    return kept_reports.ask(acting(), given["name"], given["format"], **where)


@blp.get("/reports/<string:id>")
@blp.response(200, KeptReportOut)
@scope(Right.EXPORT, part="system")
def kept_report(id: str) -> KeptReport:
    """How far it is."""
    return services().store.kept_reports.get(id)


@blp.get("/reports/<string:id>/file")
@blp.doc(responses={"200": {"description": "OK", "content": {TYPES[form]: {"schema": FILE} for form in FORMATS}}})
@scope(Right.EXPORT, part="system")
def kept_file(id: str) -> Response:
    """The file."""
    return sent(*kept_reports.hand_out(acting(), id))


@blp.delete("/reports/<string:id>")
@blp.response(204)
@scope(Right.EXPORT, part="system")
def remove_report(id: str) -> None:
    """Keep it no longer, or make it no more."""
    kept_reports.remove(acting(), id)


def _of_cases(query: dict[str, Any], format: Format) -> Response:
    where = Filter(**query).conditions(acting())
    may_be_made_at_once(services().product, format, **where)
    return download(format, t("report.file_cases"), **where)


def _of_case(number: int, format: Format) -> Response:
    return download(format, t("report.file_case", number=number), case_ids=[str(number)])
