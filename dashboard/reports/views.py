"""Download reports of cases, have long ones made in the background, list the notices that are due, and share reports.

A link shows a report to people who have no account.
"""

from collections.abc import Collection
from typing import Final, Unpack

from flask import Blueprint, Response, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.cases.selection import requested_filter
from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import (
    OCTET_STREAM_TYPE,
    file_response,
    parse_number,
    redirect_to,
    report_language_argument,
    shared_link_address,
)
from dashboard.frame.security import limiter, may, needs, open_to_all
from wenhen.cases.model import CaseConditions, CaseStatus
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Language, NotFound
from wenhen.kit.rights import Right
from wenhen.notices.due_tasks import find_awaited_cases, find_due_notices
from wenhen.reports.repository import KeptReport, SharedLink
from wenhen.reports.service import (
    MAX_CASES_AT_ONCE,
    MAX_REPORT_NAME_CHARACTERS,
    MEDIA_TYPES,
    SHOWN_REPORTS,
    STORED_FORMATS,
    ReportFormat,
    delete_report,
    export_report,
    hand_out_report,
    is_report_long,
    render_report,
    report_file_name,
    request_report,
)
from wenhen.reports.shared_links import (
    DEFAULT_LINK_DAYS,
    MAX_LINK_DAYS,
    find_open_link,
    is_link_open,
    link_visitor,
    open_link,
    revoke_link,
    share_case,
    share_report,
)

stored_reports_blueprint = Blueprint("kept_reports", __name__, url_prefix="/reports/kept")


@stored_reports_blueprint.get("/")
@needs(Right.EXPORT)
def show_stored() -> str:
    """Show the stored and the pending reports, newest first."""
    return render_template("reports/kept_reports.html", reports=services().store.kept_reports.newest(SHOWN_REPORTS))


@stored_reports_blueprint.post("/")
@needs(Right.EXPORT)
def ask() -> Response:
    """Request a report of the cases that match the filter in the address."""
    chosen = requested_filter()
    request_report(
        current_actor(),
        request.form.get("name", ""),
        request.form.get("format", ""),
        language=report_language_argument(request.form.get("language")),
        **chosen.conditions(current_actor()),
    )
    return redirect_to("kept_reports.show_stored", t("reports.asked"))


@stored_reports_blueprint.post("/<string:id>/remove")
@needs(Right.EXPORT)
def remove(id: str) -> Response:
    """Delete a stored report."""
    delete_report(current_actor(), id)
    return redirect_to("kept_reports.show_stored", t("reports.removed"))


@stored_reports_blueprint.get("/<string:id>")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """Download a stored report."""
    return stored_report_response(*hand_out_report(current_actor(), id))


def stored_report_response(kept: KeptReport, content: bytes) -> Response:
    """Send the file. Its name consists of the report's name and the day of creation."""
    return file_response(report_file_name(kept), content, MEDIA_TYPES.get(_report_format(kept), OCTET_STREAM_TYPE))


def offer_in_background(format: ReportFormat) -> str:
    """Ask for a name, and offer to create a long report in the background."""
    return render_template(
        "reports/report_later.html",
        format=format,
        forms=STORED_FORMATS,
        filter=requested_filter(),
        language=request.args.get("language", ""),
        most=MAX_CASES_AT_ONCE[format],
        length=MAX_REPORT_NAME_CHARACTERS,
    )


def _report_format(kept: KeptReport) -> ReportFormat:
    return next((form for form in MEDIA_TYPES if form == kept.format), "json")


def download_report(
    format: ReportFormat,
    title: str,
    *,
    case_ids: Collection[str] | None = None,
    language: Language | None = None,
    **where: Unpack[CaseConditions],
) -> Response:
    """Send the report of these cases as a file. Its name ends with the current day."""
    name = f"{title}-{china_day(services().clock()):%Y%m%d}.{format}"
    file = export_report(
        current_actor(), format, render_report, name=name, case_ids=case_ids, language=language, **where
    )
    return file_response(file.name, file.content, MEDIA_TYPES[format])


reports_blueprint = Blueprint("reports", __name__)


@reports_blueprint.get("/reports/")
@needs(Right.EXPORT)
def show() -> str:
    """Show the report choices, the due notices, and the cases with a sent notice."""
    return _render_choices()


def _render_choices(refusal: str | None = None) -> str:
    return render_template(
        "reports/reports.html",
        statuses=list(CaseStatus),
        counts=services().store.cases.count_by_status(),
        due=find_due_notices(services().product) if may(Right.PROCEED) else [],
        awaited=find_awaited_cases(services().product),
        refusal=refusal,
    )


@reports_blueprint.get("/reports/cases.<any(pdf, xlsx, csv, json):format>")
@needs(Right.EXPORT)
def cases(format: ReportFormat) -> ResponseReturnValue:
    """Download the report of the cases that match the filter in the address.

    If it takes long, offer to create it in the background. A refusal is shown beside the choices.
    """
    if is_report_long(services().product, format, **requested_filter().conditions(current_actor())):
        return offer_in_background(format)
    chosen = report_language_argument(request.args.get("language"))
    try:
        return download_report(
            format, t("report.file_cases"), language=chosen, **requested_filter().conditions(current_actor())
        )
    except BadInput as error:
        return _render_choices(error.message.text(language())), 400


@reports_blueprint.get("/cases/<int:number>/report.<any(pdf, xlsx, csv, json, html):format>")
@needs(Right.EXPORT)
def case(number: int, format: ReportFormat) -> Response:
    """Download the report of one case."""
    language = report_language_argument(request.args.get("language"))
    return download_report(format, t("report.file_case", number=number), case_ids=[str(number)], language=language)


links_blueprint = Blueprint("links", __name__, url_prefix="/reports/links")
shared_blueprint = Blueprint("shared", __name__, url_prefix="/shared")

_CALLS: Final = "60 per minute"  # of one network


@links_blueprint.get("/")
@needs(Right.EXPORT)
def show_links() -> str:
    """Show the links, newest first, and the form for a new one. `?case=` and `?report=` fill it."""
    return _render_links()


@links_blueprint.post("/")
@needs(Right.EXPORT)
@shows_refusal(lambda refusal: _render_links(refusal=refusal.text(language())), NotFound)
def make() -> str:
    """Make a link, and show its address this once."""
    link, secret = _make_requested_link()
    return _render_links(made=(link.file_name, shared_link_address(secret)))


@links_blueprint.post("/revoke")
@needs(Right.EXPORT)
def revoke() -> Response:
    """Revoke a link."""
    revoke_link(current_actor(), request.form.get("id", ""))
    return redirect_to("links.show_links", t("links.revoked"))


@shared_blueprint.get("/<string:secret>")
@open_to_all
@limiter.limit(_CALLS)
def show_file(secret: str) -> ResponseReturnValue:
    """Show what the link leads to, without taking it."""
    try:
        return render_template("reports/shared.html", link=find_open_link(services().product, secret), secret=secret)
    except NotFound:
        return render_template("reports/shared.html", link=None, secret=None), 404


@shared_blueprint.get("/<string:secret>/file")
@open_to_all
@limiter.limit(_CALLS)
def file(secret: str) -> ResponseReturnValue:
    """Download the file."""
    product = services().product
    try:
        link = find_open_link(product, secret)
        content = open_link(link_visitor(product, link), link)
    except NotFound:
        return render_template("reports/shared.html", link=None, secret=None), 404
    ending = link.file_name.rpartition(".")[2]
    kind = next((type for form, type in MEDIA_TYPES.items() if form == ending), OCTET_STREAM_TYPE)
    answer = file_response(link.file_name, content, kind)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _make_requested_link() -> tuple[SharedLink, str]:
    form = request.form
    days, report = parse_number(form.get("days", ""), digits=4) or 0, form.get("report", "")
    if report:
        return share_report(current_actor(), report, days)
    number = parse_number(form.get("case", "").strip().removeprefix("#"))
    if number is not None:
        return share_case(current_actor(), number, days)
    raise BadInput("links.nothing")


def _render_links(*, made: tuple[str, str] | None = None, refusal: str | None = None) -> str:
    store, now = services().store, services().product.now()
    return render_template(
        "reports/links.html",
        rows=[(link, is_link_open(link, now)) for link in store.shared_links.newest()],
        reports=[report for report in store.kept_reports.newest() if report.file_digest],
        made=made,
        refusal=refusal,
        case=request.values.get("case", "")[:20],
        report=request.values.get("report", "")[:40],
        days=DEFAULT_LINK_DAYS,
        most=MAX_LINK_DAYS,
    )
