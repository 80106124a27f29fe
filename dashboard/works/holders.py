"""The rights holders: what a notice says of them, their papers, and their own sites."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from services.holders import holders
from services.holders.holders import lacks_now
from store.errors import BadInput, NotFound
from store.records import Holder, PaperKind
from store.rules.china_time import day_of
from store.rules.library.holder_papers import valid
from store.rules.role_rights import Right

blueprint = Blueprint("holders", __name__, url_prefix="/holders")

_LONGEST = 500  # characters of one field
_FIELDS = ("name", "identity", "contact", "address", "representative")


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """The list, and the form for one more; `?name=` fills it with what is known, and shows the papers."""
    return page(request.args.get("name"))


@blueprint.post("/")
@needs(Right.HOLDERS)
def put() -> Response | tuple[str, int]:
    """Store a holder in place of the one of that name."""
    given = {name: request.form.get(name, "").strip()[:_LONGEST] for name in _FIELDS}
    try:
        holders.put(
            acting(),
            Holder(
                id=given["name"],
                contact=given["contact"] or None,
                address=given["address"] or None,
                sites=tuple(request.form.get("sites", "")[: _LONGEST * 10].split()),
                identity=given["identity"] or None,
                representative=given["representative"] or None,
                acts_itself=bool(request.form.get("acts_itself")),
            ),
        )
    except BadInput as error:
        return page(given["name"], refusal=error.message.text(language())), 400
    flash(t("holders.kept", name=given["name"]))
    return redirect(url_for("holders.show", name=given["name"]), 303)


@blueprint.post("/merge")
@needs(Right.HOLDERS)
def merge() -> Response | tuple[str, int]:
    """Make one of two holders."""
    name, into = request.form.get("id", ""), request.form.get("into", "").strip()
    try:
        holders.merge(acting(), name, into)
    except (BadInput, NotFound) as error:
        return page(name, refusal=error.message.text(language())), 400
    flash(t("holders.merged", name=name, into=into))
    return redirect(url_for("holders.show", name=into), 303)


@blueprint.post("/remove")
@needs(Right.HOLDERS)
def remove() -> Response:
    """Forget a holder; its works stay."""
    holders.remove(acting(), request.form.get("id", ""))
    flash(t("holders.removed"))
    return redirect(url_for("holders.show"), 303)


def page(name: str | None = None, refusal: str | None = None) -> str:
    """All holders, and the one of this name with its papers and what it still lacks."""
    product, known = services().product, services().store.holders.all()
    one = next((holder for holder in known if holder.id == name), None)
    today = day_of(product.now())
    return render_template(
        "works/holders.html",
        holders=known,
        lacking={holder.id: lacks_now(product, holder) for holder in known},
        one=one,
        kinds=list(PaperKind),
        is_valid=lambda paper: valid(paper, today),
        today=today,
        refusal=refusal,
        form=request.form.to_dict() or _filled(one, name),
    )


def _filled(one: Holder | None, name: str | None) -> dict[str, str]:
    if one is None:
        return {"name": name or ""}
    values = {field: getattr(one, field) or "" for field in _FIELDS if field != "name"}
    return values | {"name": one.id, "sites": "\n".join(one.sites), "acts_itself": "1" if one.acts_itself else ""}
