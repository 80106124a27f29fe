"""The rights holders: what a notice says of them, and their own sites."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services import holders
from store.errors import BadInput, NotFound
from store.records import Holder
from store.rules.rights import Right

blueprint = Blueprint("holders", __name__, url_prefix="/holders")

_LONGEST = 500  # characters of one field


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The list, and the form for one more; `?name=` fills it with what is known."""
    return _page()


@blueprint.post("/")
@needs(Right.WORKS)
def put() -> Response | tuple[str, int]:
    """Store a holder in place of the one of that name."""
    given = {name: request.form.get(name, "").strip()[:_LONGEST] for name in ("name", "contact", "address")}
    sites = tuple(request.form.get("sites", "")[: _LONGEST * 10].split())
    try:
        holders.put(
            acting(),
            Holder(id=given["name"], contact=given["contact"] or None, address=given["address"] or None, sites=sites),
        )
    except BadInput as error:
        return _page(refusal=error.message.text(language())), 400
    flash(t("holders.kept", name=given["name"]))
    return redirect(url_for("holders.show"), 303)


@blueprint.post("/remove")
@needs(Right.WORKS)
def remove() -> Response:
    """Forget a holder; its works stay."""
    holders.remove(acting(), request.form.get("id", ""))
    flash(t("holders.removed"))
    return redirect(url_for("holders.show"), 303)


def _page(refusal: str | None = None) -> str:
    store = services().store
    form: dict[str, str] = request.form.to_dict()
    if not form and (name := request.args.get("name")):
        form = _filled(name)
    return render_template("holders.html", holders=store.holders.all(), refusal=refusal, form=form)


def _filled(name: str) -> dict[str, str]:
    try:
        known = services().store.holders.get(name)
    except NotFound:
        return {"name": name}
    return {
        "name": known.id,
        "contact": known.contact or "",
        "address": known.address or "",
        "sites": "\n".join(known.sites),
    }
