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
        **chosen.conditions(current_actor()),
    )
    flash(t("reports.asked"))
    return redirect(url_for("kept_reports.show"), 303)


@stored_reports_blueprint.post("/<string:id>/remove")
@needs(Right.EXPORT)
def remove(id: str) -> Response:
    """Delete a stored report."""
    delete_report(current_actor(), id)
    flash(t("reports.removed"))
    return redirect(url_for("kept_reports.show"), 303)


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
        most=MAX_CASES_AT_ONCE[format],
        length=MAX_REPORT_NAME_CHARACTERS,
    )


def _report_format(kept: KeptReport) -> ReportFormat:
    return next((form for form in MEDIA_TYPES if form == kept.format), "json")
