"""Request, list and download reports that are made in the background."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.selection import requested_filter
from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.requests import OCTET_STREAM_TYPE, file_response
from dashboard.frame.security import needs
from wenhen.kit.rights import Right
from wenhen.reports.repository import KeptReport
from wenhen.reports.service import (
    MAX_CASES_AT_ONCE,
    MAX_REPORT_NAME_CHARACTERS,
    MEDIA_TYPES,
    SHOWN_REPORTS,
    STORED_FORMATS,
    ReportFormat,
    delete_report,
    hand_out_report,
    report_file_name,
    request_report,
)

stored_reports_blueprint = Blueprint("kept_reports", __name__, url_prefix="/reports/kept")


@stored_reports_blueprint.get("/")
@needs(Right.EXPORT)
def show() -> str:
    """Those that are kept or being made, the newest first."""
    return render_template("reports/kept_reports.html", reports=services().store.kept_reports.newest(SHOWN_REPORTS))


@stored_reports_blueprint.post("/")
@needs(Right.EXPORT)
def ask() -> Response:
    """Have one made of the cases that the filter in the address lets pass."""
    chosen = requested_filter()
    request_report(
        current_actor(),
        request.form.get("name", ""),
        request.form.get("format", ""),
        **chosen.conditions(current_actor()),
    )
    flash(t("reports.asked"))
    return redirect(url_for("kept_reports.show"), 303)


@stored_reports_blueprint.post("/<string:id>/remove")
@needs(Right.EXPORT)
def remove(id: str) -> Response:
    """Keep it no longer."""
    delete_report(current_actor(), id)
    flash(t("reports.removed"))
    return redirect(url_for("kept_reports.show"), 303)


@stored_reports_blueprint.get("/<string:id>")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """Its file."""
    return stored_report_response(*hand_out_report(current_actor(), id))


def stored_report_response(kept: KeptReport, content: bytes) -> Response:
    """The file under the report's name and the day of its making."""
    return file_response(report_file_name(kept), content, MEDIA_TYPES.get(_report_format(kept), OCTET_STREAM_TYPE))


def offer_in_background(format: ReportFormat) -> str:
    """The question under which name a report that takes long is to be made."""
    return render_template(
        "reports/report_later.html",
        format=format,
        forms=STORED_FORMATS,
        filter=requested_filter(),
        most=MAX_CASES_AT_ONCE[format],
        length=MAX_REPORT_NAME_CHARACTERS,
    )


def _report_format(kept: KeptReport) -> ReportFormat:
    return next((form for form in MEDIA_TYPES if form == kept.format), "json")
