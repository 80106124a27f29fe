"""Reports that are made in the background: asked for, followed, taken away."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.export.formats import TYPES, Format
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import BYTES, as_file
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.reporting import kept_reports
from services.reporting.kept_reports import FORMATS, NAME_LENGTH, SHOWN
from services.reporting.made_at_once import AT_ONCE
from store.records import KeptReport
from store.rules.china_time import day_of
from store.rules.role_rights import Right

blueprint = Blueprint("kept_reports", __name__, url_prefix="/reports/kept")


@blueprint.get("/")
@needs(Right.EXPORT)
def show() -> str:
    """Those that are kept or being made, the newest first."""
    return render_template("reports/kept_reports.html", reports=services().store.kept_reports.newest(SHOWN))


@blueprint.post("/")
@needs(Right.EXPORT)
def ask() -> Response:
    """Have one made of the cases that the filter in the address lets pass."""
    chosen = wanted()
    kept_reports.ask(
        acting(), request.form.get("name", ""), request.form.get("format", ""), **chosen.conditions(acting())
    )
    flash(t("reports.asked"))
    return redirect(url_for("kept_reports.show"), 303)


@blueprint.post("/<string:id>/remove")
@needs(Right.EXPORT)
def remove(id: str) -> Response:
    """Keep it no longer."""
    kept_reports.remove(acting(), id)
    flash(t("reports.removed"))
    return redirect(url_for("kept_reports.show"), 303)


@blueprint.get("/<string:id>")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """Its file."""
    return sent(*kept_reports.hand_out(acting(), id))


def sent(kept: KeptReport, content: bytes) -> Response:
    """The file under the report's name and the day of its making."""
    at = kept.made_at or kept.wanted_at
    return as_file(f"{kept.name}-{day_of(at):%Y%m%d}.{kept.format}", content, TYPES.get(_form(kept), BYTES))


def offered(format: Format) -> str:
    """The question under which name a report that takes long is to be made."""
    return render_template(
        "reports/report_later.html",
        format=format,
        forms=FORMATS,
        filter=wanted(),
        most=AT_ONCE[format],
        length=NAME_LENGTH,
    )


def _form(kept: KeptReport) -> Format:
    return next((form for form in TYPES if form == kept.format), "json")
