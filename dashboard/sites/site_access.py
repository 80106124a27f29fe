"""How one site is reached: its session, its proxies, robots.txt and fonts, for administrators; what crawls learned."""

from typing import Final

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame import uploads
from dashboard.frame.context import acting
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.sites import site
from dashboard.sites.site_form import told
from services.crawls import learned_rendering
from services.sites import site_access
from store.errors import BadInput
from store.rules.role_rights import Right

blueprint = Blueprint("site_access", __name__, url_prefix="/sites/access")

_HERE: Final = "access"  # the part of the page that is shown again


@blueprint.post("/session/<path:id>")
@needs(Right.ACCESS)
def session(id: str) -> Response | tuple[str, int]:
    """Keep the cookies of a session, from a file or as they were pasted; or forget them."""
    if request.form.get("forget"):
        site_access.end_session(acting(), id)
        return _done(id, "site.session_ended")
    try:
        files = [content.decode("utf-8-sig") for _, content in uploads.sent("file")]
        site_access.begin_session(acting(), id, files[0] if files else request.form.get("cookies", ""))
    except UnicodeDecodeError:
        return site.page(id, access_refusal=t("site.not_utf8")), 400
    except BadInput as error:
        return site.page(id, access_refusal=told(error.message)), 400
    return _done(id, "site.session_kept")


@blueprint.post("/proxies/<path:id>")
@needs(Right.ACCESS)
def proxies(id: str) -> Response | tuple[str, int]:
    """Fetch it through these alone; without any, as the settings say."""
    try:
        site_access.set_proxies(acting(), id, request.form.get("proxies", "").split())
    except BadInput as error:
        return site.page(id, access_refusal=told(error.message)), 400
    return _done(id, "site.proxies_kept")


@blueprint.post("/robots/<path:id>")
@needs(Right.ACCESS)
def robots(id: str) -> Response | tuple[str, int]:
    """Override its robots.txt for a reason, or obey it again."""
    if request.form.get("obey"):
        site_access.obey_robots(acting(), id)
        return _done(id, "site.robots_obeyed")
    try:
        site_access.override_robots(acting(), id, reason=request.form.get("reason", ""))
    except BadInput as error:
        return site.page(id, access_refusal=told(error.message)), 400
    return _done(id, "site.robots_ignored")


@blueprint.post("/fonts/<path:id>")
@needs(Right.ACCESS)
def fonts(id: str) -> Response | tuple[str, int]:
    """Decipher its fonts for a reason, or leave them."""
    if request.form.get("leave"):
        site_access.leave_fonts(acting(), id)
        return _done(id, "site.fonts_left")
    try:
        site_access.decipher_fonts(acting(), id, reason=request.form.get("reason", ""))
    except BadInput as error:
        return site.page(id, access_refusal=told(error.message)), 400
    return _done(id, "site.fonts_deciphered")


@blueprint.post("/rendering/<path:id>")
@needs(Right.SITES)
def rendering(id: str) -> Response:
    """Render its empty pages no more, which a crawl has learned; or let crawls find out again."""
    if request.form.get("again"):
        learned_rendering.try_rendering(acting(), id)
        return _done(id, "site.rendering_tried")
    learned_rendering.unlearn_rendering(acting(), id)
    return _done(id, "site.rendering_unlearned")


def _done(id: str, said: str) -> Response:
    flash(t(said))
    return redirect(url_for("site.show", id=id, _anchor=_HERE), 303)
