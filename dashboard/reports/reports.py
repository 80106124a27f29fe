"""What is taken away: reports to download, notices to be sent."""

from io import BytesIO
from typing import Final, Literal

from flask import Blueprint, render_template, send_file
from werkzeug.wrappers import Response

from dashboard.cases import letters
from dashboard.cases.suspect_filter import Filter, wanted
from dashboard.export import Report, build_report, to_excel, to_json
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import may, needs
from services.people.rights import Right
from store.records import CaseStatus
from store.rules.china_time import day_of

blueprint = Blueprint("reports", __name__)

Format = Literal["xlsx", "json"]
TYPES: Final[dict[Format, str]] = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}


@blueprint.get("/reports/")
@needs(Right.EXPORT)
def show() -> str:
    """Which report, and which notices are to be sent or are waited for."""
    return render_template(
        "reports.html",
        statuses=list(CaseStatus),
        counts=services().store.cases.count_by_status(),
        letters=letters.to_write() if may(Right.PROCEED) else [],
        awaited=letters.awaited(),
    )


@blueprint.get("/reports/cases.<any(xlsx, json):format>")
@needs(Right.EXPORT)
def cases(format: Format) -> Response:
    """The cases that the filter in the address lets pass."""
    return of_cases(wanted(), format)


def of_cases(chosen: Filter, format: Format) -> Response:
    """The report of the cases that the filter lets pass."""
    report = build_report(services().store, now=services().clock(), **chosen.conditions())
    return _send(report, format, t("report.file_cases"))


@blueprint.get("/cases/<int:number>/report.<any(xlsx, json):format>")
@needs(Right.EXPORT)
def case(number: int, format: Format) -> Response:
    """One case."""
    return of_case(number, format)


def of_case(number: int, format: Format) -> Response:
    """The report of one case. NotFound."""
    report = build_report(services().store, case_ids=[str(number)], now=services().clock())
    return _send(report, format, t("report.file_case", number=number))


def _send(report: Report, format: Format, name: str) -> Response:
    content = to_excel(report) if format == "xlsx" else to_json(report)
    day = f"{day_of(report.generated_at):%Y%m%d}"
    return send_file(
        BytesIO(content), mimetype=TYPES[format], as_attachment=True, download_name=f"{name}-{day}.{format}"
    )
