"""How one site is reached: its session, its proxies, and whether its robots.txt is obeyed; for administrators."""

from typing import Final

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard import site_upkeep
from dashboard.frame import uploads
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.sites import site
from dashboard.sites.site_refusals import told
from store.errors import BadInput
from store.rules.rights import Right

blueprint = Blueprint("site_access", __name__, url_prefix="/sites/access")

_HERE: Final = "access"  # the part of the page that is shown again


@blueprint.post("/session/<path:id>")
@needs(Right.ACCESS)
def session(id: str) -> Response | tuple[str, int]:
    """Keep the cookies of a session, from a file or as they were pasted; or forget them."""
    if request.form.get("forget"):
        site_upkeep.set_session(id, None)
        return _done(id, "site.session_ended")
    try:
        files = [content.decode("utf-8-sig") for _, content in uploads.sent("file")]
        site_upkeep.set_session(id, files[0] if files else request.form.get("cookies", ""))
    except UnicodeDecodeError:
        return site.page(id, access_refusal=t("site.not_utf8")), 400
    except BadInput as error:
        return site.page(id, access_refusal=told(error)), 400
    return _done(id, "site.session_kept")


@blueprint.post("/proxies/<path:id>")
@needs(Right.ACCESS)
def proxies(id: str) -> Response | tuple[str, int]:
    """Fetch it through these alone; without any, as the settings say."""
    try:
        site_upkeep.set_proxies(id, request.form.get("proxies", "").split())
    except BadInput as error:
        return site.page(id, access_refusal=told(error)), 400
    return _done(id, "site.proxies_kept")


@blueprint.post("/robots/<path:id>")
@needs(Right.ACCESS)
def robots(id: str) -> Response | tuple[str, int]:
    """Override its robots.txt for a reason, or obey it again."""
    if request.form.get("obey"):
        site_upkeep.set_robots(id, None)
        return _done(id, "site.robots_obeyed")
    try:
        site_upkeep.set_robots(id, request.form.get("reason", ""))
    except BadInput as error:
        return site.page(id, access_refusal=told(error)), 400
    return _done(id, "site.robots_ignored")


def _done(id: str, said: str) -> Response:
    flash(t(said))
    return redirect(url_for("site.show", id=id, _anchor=_HERE), 303)
