"""What is taken away: reports to download, notices to be sent."""

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.export.download import download
from dashboard.export.formats import Format
from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import may, needs
from dashboard.reports.kept_reports import offered
from services.notices.due_notices import awaited, due_notices
from services.reporting.made_at_once import takes_long
from store.records import CaseStatus
from store.rules.role_rights import Right

blueprint = Blueprint("reports", __name__)


@blueprint.get("/reports/")
@needs(Right.EXPORT)
def show() -> str:
    """Which report, and which notices are to be sent or are waited for."""
    return render_template(
        "reports/reports.html",
        statuses=list(CaseStatus),
        counts=services().store.cases.count_by_status(),
        due=due_notices(services().product) if may(Right.PROCEED) else [],
        awaited=awaited(services().product),
    )


@blueprint.get("/reports/cases.<any(pdf, xlsx, csv, json):format>")
@needs(Right.EXPORT)
def cases(format: Format) -> Response | str:
    """The cases that the filter in the address lets pass; what takes long is to be made in the background."""
    if takes_long(services().product, format, **wanted().conditions(acting())):
        return offered(format)
    return download(format, t("report.file_cases"), **wanted().conditions(acting()))


@blueprint.get("/cases/<int:number>/report.<any(pdf, xlsx, csv, json, html):format>")
@needs(Right.EXPORT)
def case(number: int, format: Format) -> Response:
    """One case."""
    return download(format, t("report.file_case", number=number), case_ids=[str(number)])
