"""Serve the API of reports, made at once or in the background."""

from typing import Final

from marshmallow import Schema, ValidationError, fields, validate, validates_schema
from werkzeug.wrappers import Response

from dashboard.cases.api import CaseFilter
from dashboard.frame.api import FILE_SCHEMA, OPTIONAL, JsonObject, LanguageQuery, record_schema, text_field
from dashboard.frame.context import current_actor, services, t
from dashboard.frame.requests import shared_link_address
from dashboard.operations.api import system_blp
from dashboard.reports.views import download_report, stored_report_response
from wenhen.cases.filters import Filter
from wenhen.kit.errors import Language
from wenhen.kit.rights import Right
from wenhen.reports.csv_and_json import json_schema
from wenhen.reports.repository import KeptReport, SharedLink
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
from wenhen.reports.shared_links import (
    DEFAULT_LINK_DAYS,
    MAX_LINK_DAYS,
    revoke_link,
    share_case,
    share_report,
)
from wenhen.reports.wording import REPORT_LANGUAGES

reports_blp = system_blp  # the description lists reports with the state of the system
_WORKBOOK_TYPE: Final = MEDIA_TYPES["xlsx"]
_SCHEMA_TYPE: Final = "application/schema+json"


class ReportQuery(CaseFilter, LanguageQuery):
    """The conditions of the cases, and the language of their report."""


@reports_blp.get("/reports/cases.json")
@reports_blp.arguments(ReportQuery, location="query")
@reports_blp.response(200, {"type": "object"}, content_type="application/json")
@reports_blp.scope(Right.EXPORT)
def report(query: JsonObject) -> Response:
    """The report of the cases that fit."""
    return _cases_report(query, "json")


@reports_blp.get("/reports/schema.json")
@reports_blp.response(200, {"type": "object"}, content_type=_SCHEMA_TYPE)
@reports_blp.scope(Right.READ)
def report_schema() -> Response:
    """What a report holds, as JSON Schema 2020-12."""
    return Response(json_schema(), mimetype=_SCHEMA_TYPE)


@reports_blp.get("/reports/cases.xlsx")
@reports_blp.arguments(ReportQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=_WORKBOOK_TYPE)
@reports_blp.scope(Right.EXPORT)
def workbook(query: JsonObject) -> Response:
    """The same as a workbook."""
    return _cases_report(query, "xlsx")


@reports_blp.get("/reports/cases.csv")
@reports_blp.arguments(ReportQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["csv"])
@reports_blp.scope(Right.EXPORT)
def table(query: JsonObject) -> Response:
    """The same as a table, a row a case."""
    return _cases_report(query, "csv")


@reports_blp.get("/reports/cases.pdf")
@reports_blp.arguments(ReportQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["pdf"])
@reports_blp.scope(Right.EXPORT)
def printed(query: JsonObject) -> Response:
    """The same to be printed: PDF/A-3 with the workbook inside."""
    return _cases_report(query, "pdf")


@reports_blp.get("/cases/<int:number>/report.pdf")
@reports_blp.arguments(LanguageQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["pdf"])
@reports_blp.scope(Right.EXPORT)
def case_printed(query: dict[str, Language], number: int) -> Response:
    """The report of one case, to be printed."""
    return _case_report_file(query, number, "pdf")


@reports_blp.get("/cases/<int:number>/report.json")
@reports_blp.arguments(LanguageQuery, location="query")
@reports_blp.response(200, {"type": "object"}, content_type="application/json")
@reports_blp.scope(Right.EXPORT)
def case_report(query: dict[str, Language], number: int) -> Response:
    """The report of one case."""
    return _case_report_file(query, number, "json")


@reports_blp.get("/cases/<int:number>/report.xlsx")
@reports_blp.arguments(LanguageQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=_WORKBOOK_TYPE)
@reports_blp.scope(Right.EXPORT)
def case_workbook(query: dict[str, Language], number: int) -> Response:
    """The same as a workbook."""
    return _case_report_file(query, number, "xlsx")


@reports_blp.get("/cases/<int:number>/report.html")
@reports_blp.arguments(LanguageQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["html"])
@reports_blp.scope(Right.EXPORT)
def case_page(query: dict[str, Language], number: int) -> Response:
    """The same as a page that stands alone, for people without an account."""
    return _case_report_file(query, number, "html")


@reports_blp.get("/cases/<int:number>/report.csv")
@reports_blp.arguments(LanguageQuery, location="query")
@reports_blp.response(200, FILE_SCHEMA, content_type=MEDIA_TYPES["csv"])
@reports_blp.scope(Right.EXPORT)
def case_table(query: dict[str, Language], number: int) -> Response:
    """The same as a table of one row."""
    return _case_report_file(query, number, "csv")


KeptReportOut = record_schema(KeptReport, leave_out=("due", "file_digest"))


class ReportIn(Schema):
    """The name, the format and the cases of a report."""

    name = text_field(MAX_REPORT_NAME_CHARACTERS, least=1, required=True)
    format = fields.String(validate=validate.OneOf(STORED_FORMATS), load_default="pdf")
    filter = fields.Nested(CaseFilter, load_default=dict)
    language = fields.String(
        validate=validate.OneOf(REPORT_LANGUAGES),
        **OPTIONAL,
        metadata={"description": "by default Chinese and English"},
    )


@reports_blp.get("/reports")
@reports_blp.response(200, KeptReportOut(many=True))
@reports_blp.scope(Right.EXPORT)
def kept() -> list[KeptReport]:
    """The newest; `made_at` is null while one is made, `done` of `of` cases are gathered."""
    return services().store.kept_reports.newest(SHOWN_REPORTS)


@reports_blp.post("/reports")
@reports_blp.arguments(ReportIn)
@reports_blp.response(202, KeptReportOut)
@reports_blp.scope(Right.EXPORT)
def ask_for_report(body: JsonObject) -> KeptReport:
    """Have one made of the cases that fit, however many they are."""
    where = Filter(**body["filter"]).conditions(current_actor())
    return request_report(current_actor(), body["name"], body["format"], language=body["language"], **where)


@reports_blp.get("/reports/<string:id>")
@reports_blp.response(200, KeptReportOut)
@reports_blp.scope(Right.EXPORT)
def kept_report(id: str) -> KeptReport:
    """How far it is."""
    return services().store.kept_reports.get(id)


@reports_blp.get("/reports/<string:id>/file")
@reports_blp.doc(
    responses={
        "200": {"description": "OK", "content": {MEDIA_TYPES[form]: {"schema": FILE_SCHEMA} for form in STORED_FORMATS}}
    }
)
@reports_blp.scope(Right.EXPORT)
def kept_file(id: str) -> Response:
    """The file."""
    return stored_report_response(*hand_out_report(current_actor(), id))


@reports_blp.delete("/reports/<string:id>")
@reports_blp.response(204)
@reports_blp.scope(Right.EXPORT)
def remove_report(id: str) -> None:
    """Keep it no longer, or make it no more."""
    delete_report(current_actor(), id)


LinkOut = record_schema(SharedLink, leave_out=("secret_digest",))


class LinkIn(Schema):
    """A case or a stored report to share, and for how many days."""

    case = fields.Integer(strict=True, validate=validate.Range(1, 2**53))
    report = text_field(40, metadata={"description": "id of a stored report"})
    days = fields.Integer(strict=True, load_default=DEFAULT_LINK_DAYS, validate=validate.Range(1, MAX_LINK_DAYS))

    @validates_schema
    def check_one(self, body: JsonObject, **_: object) -> None:
        """Refuse both and neither."""
        if ("case" in body) == ("report" in body):
            raise ValidationError("either a case or a report")


class MadeLinkOut(Schema):
    """A new link, with its address, which is told this once."""

    link = fields.Nested(LinkOut, required=True)
    address = fields.String(required=True)


@reports_blp.get("/links")
@reports_blp.response(200, LinkOut(many=True))
@reports_blp.scope(Right.EXPORT)
def links() -> list[SharedLink]:
    """The newest links to reports, each with how often it was used."""
    return services().store.shared_links.newest()


@reports_blp.post("/links")
@reports_blp.arguments(LinkIn)
@reports_blp.response(201, MadeLinkOut)
@reports_blp.scope(Right.EXPORT)
def share(body: JsonObject) -> JsonObject:
    """Share a report with people who have no account, at an address that expires."""
    acting, days = current_actor(), body["days"]
    link, secret = (
        share_case(acting, body["case"], days) if "case" in body else share_report(acting, body["report"], days)
    )
    return {"link": link, "address": shared_link_address(secret)}


@reports_blp.delete("/links/<string:id>")
@reports_blp.response(204)
@reports_blp.scope(Right.EXPORT)
def revoke(id: str) -> None:
    """Let a link lead nowhere any more."""
    revoke_link(current_actor(), id)


def _cases_report(query: JsonObject, format: ReportFormat) -> Response:
    language = query.pop("language", None)
    where = Filter(**query).conditions(current_actor())
    require_short_report(services().product, format, **where)
    return download_report(format, t("report.file_cases"), language=language, **where)


def _case_report_file(query: dict[str, Language], number: int, format: ReportFormat) -> Response:
    title = t("report.file_case", number=number)
    return download_report(format, title, case_ids=[str(number)], language=query.get("language"))
