"""A work made, edited and removed by hand."""

from datetime import datetime
from hashlib import sha256
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import catalogue, language, t
from dashboard.frame.permissions import needs
from matcher.verdict.shortest_protected_work import is_short
from services.importing.drafts_and_refusals import checked
from services.library import details, merge_works, put_and_remove
from store.errors import BadInput, NotFound
from store.messages import Message
from store.records import WorkDraft
from store.rules.library.work_versions import EDITABLE
from store.rules.role_rights import Right

blueprint = Blueprint("work_form", __name__, url_prefix="/works")

_KINDS: Final = ("news", "essay", "novel")  # those with words on the screen; any other is kept as it is written


@blueprint.get("/new")
@needs(Right.WORKS)
def new() -> str:
    """The empty form."""
    return _page({})


@blueprint.post("/new")
@needs(Right.WORKS)
def make() -> Response | tuple[str, int]:
    """Take in a work that is written or pasted; its copies are looked for at once."""
    try:
        draft = _draft(services().clock())
        id, outcome = put_and_remove.put(acting(), draft)
    except BadInput as error:
        return _page(request.form, refusal=told(error.message)), 400
    flash(t("work_form.made" if outcome == "new" else "work_form.known"))
    if is_short(draft.text):
        flash(t("work_form.short"))
    return redirect(url_for("works.show", id=id), 303)


@blueprint.get("/edit")
@needs(Right.DETAILS)
def show() -> str:
    """What is said of a work, to be changed."""
    work = details.there(acting(), request.args.get("id", ""))
    return _page(details.written(work), id=work.id)


@blueprint.post("/edit")
@needs(Right.DETAILS)
def edit() -> Response | tuple[str, int]:
    """Change it."""
    id = request.form.get("id", "")
    try:
        details.edit(acting(), id, _written())
    except BadInput as error:
        return _page(request.form, id=id, refusal=told(error.message)), 400
    flash(t("work_form.edited"))
    return redirect(url_for("works.show", id=id), 303)


@blueprint.post("/merge")
@needs(Right.WORKS)
def merge() -> Response | tuple[str, int]:
    """Let a work take the place of its double."""
    id = request.form.get("id", "")
    try:
        moved = merge_works.merge(acting(), request.form.get("double", "").strip(), id)
    except (BadInput, NotFound) as error:
        work = details.there(acting(), id)
        return _page(details.written(work), id=id, merge_refusal=told(error.message)), 400
    flash(t("work_form.merged", count=moved))
    return redirect(url_for("works.show", id=id), 303)


@blueprint.post("/remove")
@needs(Right.WORKS)
def remove() -> Response:
    """Take a work out of every look-up; its cases stay."""
    work = put_and_remove.remove(acting(), request.form.get("id", ""))
    flash(t("work_form.removed", title=work.title))
    return redirect(url_for("works.find"), 303)


def told(message: Message) -> str:
    """What was wrong; of one field, behind the name that the form gives it."""
    field, reason = (message.figures.get(name) for name in ("field", "reason"))
    if field is not None and isinstance(reason, Message):
        return f"{t(f'work_form.{field}')} — {reason.text(language())}"
    return message.text(language())


def _written() -> dict[str, str]:
    said = {name: request.form[name] for name in EDITABLE if name in request.form}
    return said | ({"kind": _kind(said["kind"])} if "kind" in said else {})


def _kind(said: str) -> str:
    """As works keep it, where it was chosen in the words of either language."""
    return next((kind for kind in _KINDS if said.strip() in catalogue().entries[f"kind.{kind}"].values()), said)


def _draft(now: datetime) -> WorkDraft:
    said = details.read({"title": "", **_written()}, now)
    text = request.form.get("text", "").replace("\r\n", "\n")
    id = sha256(f"{said['title']} {now.isoformat()}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return checked(WorkDraft(id=f"{said['title'][:80]}-{id}", text=text, **said))


def _page(
    form: dict[str, str], *, id: str | None = None, refusal: str | None = None, merge_refusal: str | None = None
) -> str:
    product = services().product
    return render_template(
        "works/work_form.html",
        form=form,
        kinds=_KINDS,
        id=id,
        refusal=refusal,
        merge_refusal=merge_refusal,
        holders=sorted(holder.id for holder in product.store.holders.all()),
        doubles=merge_works.doubles_of(product, product.store.works.get(id)) if id else [],
    )
