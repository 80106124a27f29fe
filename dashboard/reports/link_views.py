"""Make and revoke links to reports, and show them to people who have no account."""

from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import language, t
from dashboard.frame.requests import OCTET_STREAM_TYPE, file_response, shared_link_address
from dashboard.frame.security import limiter, needs, open_to_all
from wenhen.kit.errors import BadInput, Message, NotFound
from wenhen.kit.rights import Right
from wenhen.reports.repository import SharedLink
from wenhen.reports.service import MEDIA_TYPES
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

links_blueprint = Blueprint("links", __name__, url_prefix="/reports/links")
shared_blueprint = Blueprint("shared", __name__, url_prefix="/shared")

_CALLS: Final = "60 per minute"  # of one network


@links_blueprint.get("/")
@needs(Right.EXPORT)
def show() -> str:
    """Show the links, newest first, and the form for a new one. `?case=` and `?report=` fill it."""
    return _render_links()


@links_blueprint.post("/")
@needs(Right.EXPORT)
def make() -> ResponseReturnValue:
    """Make a link, and show its address this once."""
    try:
        link, secret = _make_requested_link()
    except (BadInput, NotFound) as error:
        return _render_links(refusal=error.message), 400
    return _render_links(made=(link.file_name, shared_link_address(secret)))


@links_blueprint.post("/revoke")
@needs(Right.EXPORT)
def revoke() -> Response:
    """Revoke a link."""
    revoke_link(current_actor(), request.form.get("id", ""))
    flash(t("links.revoked"))
    return redirect(url_for("links.show"), 303)


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
    days, number, report = form.get("days", ""), form.get("case", "").strip().removeprefix("#"), form.get("report", "")
    period = int(days) if days.isascii() and days.isdecimal() and len(days) < 5 else 0
    if report:
        return share_report(current_actor(), report, period)
    if number.isascii() and number.isdecimal():
        return share_case(current_actor(), int(number), period)
    raise BadInput("links.nothing")


def _render_links(*, made: tuple[str, str] | None = None, refusal: Message | None = None) -> str:
    store, now = services().store, services().product.now()
    return render_template(
        "reports/links.html",
        rows=[(link, is_link_open(link, now)) for link in store.shared_links.newest()],
        reports=[report for report in store.kept_reports.newest() if report.file_digest],
        made=made,
        refusal=refusal and refusal.text(language()),
        case=request.values.get("case", "")[:20],
        report=request.values.get("report", "")[:40],
        days=DEFAULT_LINK_DAYS,
        most=MAX_LINK_DAYS,
    )
