"""Serve the API of reports, made at once or in the background."""

from typing import Any, Final

from marshmallow import Schema, fields, validate
from werkzeug.wrappers import Response

from dashboard.cases.api import CaseFilter
from dashboard.frame.api.blueprint import scope
from dashboard.frame.api.schemas import FILE_SCHEMA, record_schema, text_field
from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.operations.api import system_blp
from dashboard.reports.views import download_report, stored_report_response
from wenhen.cases.filters import Filter
from wenhen.kit.rights import Right
from wenhen.reports.csv_and_json import json_schema
from wenhen.reports.repository import KeptReport
from wenhen.reports.service import (
    MAX_REPORT_NAME_CHARACTERS,
    MEDIA_TYPES,
    SHOWN_REPORTS,
    STORED_FORMATS,
    ReportFormat,
    delete_report,
    hand_out_report,
    request_report,
    require_short_report,
)

reports_blp = system_blp  # the description lists reports with the state of the system
_WORKBOOK_TYPE: Final = MEDIA_TYPES["xlsx"]
_SCHEMA_TYPE: Final = "application/schema+json"


@reports_blp.get("/reports/cases.json")
@reports_blp.arguments(CaseFilter, location="query")
@reports_blp.response(200, {"type": "object"}, content_type="application/json")
@scope(Right.EXPORT, part="system")
def report(query: dict[str, Any]) -> Response:
    """The report of the cases that fit."""
    return _cases_report(query, "json")


@reports_blp.get("/reports/schema.json")
@reports_blp.response(200, {"type": "object"}, content_type=_SCHEMA_TYPE)
@scope(Right.READ, part="system")
def report_schema() -> Response:
    """What a report holds, as JSON Schema 2020-12."""
    return Response(json_schema(), mimetype=_SCHEMA_TYPE)


@reports_blp.get("/reports/cases.xlsx")
@reports_blp.arguments(CaseFilter, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=_WORKBOOK_TYPE)
@scope(Right.EXPORT, part="system")
def workbook(query: dict[str, Any]) -> Response:
    """The same as a workbook."""
    return _cases_report(query, "xlsx")


@reports_blp.get("/reports/cases.csv")
@reports_blp.arguments(CaseFilter, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["csv"])
@scope(Right.EXPORT, part="system")
def table(query: dict[str, Any]) -> Response:
    """The same as a table, a row a case."""
    return _cases_report(query, "csv")


@reports_blp.get("/reports/cases.pdf")
@reports_blp.arguments(CaseFilter, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["pdf"])
@scope(Right.EXPORT, part="system")
def printed(query: dict[str, Any]) -> Response:
    """The same to be printed: PDF/A-3 with the workbook inside."""
    return _cases_report(query, "pdf")


@reports_blp.get("/cases/<int:number>/report.pdf")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["pdf"])
@scope(Right.EXPORT, part="system")
def case_printed(number: int) -> Response:
    """The report of one case, to be printed."""
    return _case_report_file(number, "pdf")


@reports_blp.get("/cases/<int:number>/report.json")
@reports_blp.response(200, {"type": "object"}, content_type="application/json")
@scope(Right.EXPORT, part="system")
def case_report(number: int) -> Response:
    """The report of one case."""
    return _case_report_file(number, "json")


@reports_blp.get("/cases/<int:number>/report.xlsx")
@reports_blp.response(200, FILE_SCHEMA, content_type=_WORKBOOK_TYPE)
@scope(Right.EXPORT, part="system")
def case_workbook(number: int) -> Response:
    """The same as a workbook."""
    return _case_report_file(number, "xlsx")


@reports_blp.get("/cases/<int:number>/report.html")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["html"])
@scope(Right.EXPORT, part="system")
def case_page(number: int) -> Response:
    """The same as a page that stands alone, for people without an account."""
    return _case_report_file(number, "html")


@reports_blp.get("/cases/<int:number>/report.csv")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["csv"])
@scope(Right.EXPORT, part="system")
def case_table(number: int) -> Response:
    """The same as a table of one row."""
    return _case_report_file(number, "csv")


KeptReportOut = record_schema(KeptReport, leave_out=("due", "file_digest"))


class ReportIn(Schema):
    """The name, the format and the cases of a report."""

    name = text_field(MAX_REPORT_NAME_CHARACTERS, least=1, required=True)
    format = fields.String(validate=validate.OneOf(STORED_FORMATS), load_default="pdf")
    filter = fields.Nested(CaseFilter, load_default=dict)


@reports_blp.get("/reports")
@reports_blp.response(200, KeptReportOut(many=True))
@scope(Right.EXPORT, part="system")
def kept() -> list[KeptReport]:
    """The newest; `made_at` is null while one is made, `done` of `of` cases are gathered."""
    return services().store.kept_reports.newest(SHOWN_REPORTS)


@reports_blp.post("/reports")
@reports_blp.arguments(ReportIn)
@reports_blp.response(202, KeptReportOut)
@scope(Right.EXPORT, part="system")
def ask_for_report(given: dict[str, Any]) -> KeptReport:
    """Have one made of the cases that fit, however many they are."""
    where = Filter(**given["filter"]).conditions(current_actor())
    return request_report(current_actor(), given["name"], given["format"], **where)


@reports_blp.get("/reports/<string:id>")
@reports_blp.response(200, KeptReportOut)
@scope(Right.EXPORT, part="system")
def kept_report(id: str) -> KeptReport:
    """How far it is."""
    return services().store.kept_reports.get(id)


@reports_blp.get("/reports/<string:id>/file")
@reports_blp.doc(
    responses={
        "200": {"description": "OK", "content": {MEDIA_TYPES[form]: {"schema": FILE_SCHEMA} for form in STORED_FORMATS}}
    }
)
@scope(Right.EXPORT, part="system")
def kept_file(id: str) -> Response:
    """The file."""
    return stored_report_response(*hand_out_report(current_actor(), id))


@reports_blp.delete("/reports/<string:id>")
@reports_blp.response(204)
@scope(Right.EXPORT, part="system")
def remove_report(id: str) -> None:
    """Keep it no longer, or make it no more."""
    delete_report(current_actor(), id)


def _cases_report(query: dict[str, Any], format: ReportFormat) -> Response:
    where = Filter(**query).conditions(current_actor())
    require_short_report(services().product, format, **where)
    return download_report(format, t("report.file_cases"), **where)


def _case_report_file(number: int, format: ReportFormat) -> Response:
    return download_report(format, t("report.file_case", number=number), case_ids=[str(number)])
