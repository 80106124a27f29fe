"""Download reports of cases, and list the notices that are due."""

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from dashboard.cases.selection import requested_filter
from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.security import may, needs
from dashboard.reports.download import download_report
from dashboard.reports.stored_views import offer_in_background
from wenhen.cases.model import CaseStatus
from wenhen.kit.rights import Right
from wenhen.notices.due_tasks import find_awaited_cases, find_due_notices
from wenhen.reports.service import ReportFormat, is_report_long

reports_blueprint = Blueprint("reports", __name__)


@reports_blueprint.get("/reports/")
@needs(Right.EXPORT)
def show() -> str:
    """Show the report choices, the due notices, and the cases with a sent notice."""
    return render_template(
        "reports/reports.html",
        statuses=list(CaseStatus),
        counts=services().store.cases.count_by_status(),
        due=find_due_notices(services().product) if may(Right.PROCEED) else [],
        awaited=find_awaited_cases(services().product),
    )


@reports_blueprint.get("/reports/cases.<any(pdf, xlsx, csv, json):format>")
@needs(Right.EXPORT)
def cases(format: ReportFormat) -> Response | str:
    """Download the report of the cases that match the filter in the address.

    If it takes long, offer to create it in the background.
    """
    if is_report_long(services().product, format, **requested_filter().conditions(current_actor())):
        return offer_in_background(format)
    return download_report(format, t("report.file_cases"), **requested_filter().conditions(current_actor()))


@reports_blueprint.get("/cases/<int:number>/report.<any(pdf, xlsx, csv, json, html):format>")
@needs(Right.EXPORT)
def case(number: int, format: ReportFormat) -> Response:
    """Download the report of one case."""
    return download_report(format, t("report.file_case", number=number), case_ids=[str(number)])
