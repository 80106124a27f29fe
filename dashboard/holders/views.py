"""Manage rights holders, their rights documents, and what a notice needs of them."""

from typing import Any

from flask import Blueprint, Response, jsonify, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import day_field, file_response, form_choice, redirect_to, uploaded_file
from dashboard.frame.security import needs
from wenhen.holders.model import TEXT_FIELDS, Holder, PaperKind, is_paper_valid
from wenhen.holders.service import (
    add_rights_document,
    export_rights_document,
    merge_holders,
    missing_requirements_today,
    put_holder,
    remove_holder,
    remove_rights_document,
    rename_holder,
    suggest_holders,
)
from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message, NotFound
from wenhen.kit.rights import Right

holders_blueprint = Blueprint("holders", __name__, url_prefix="/holders")

_MAX_FIELD_CHARACTERS = 500  # characters of one field


@holders_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the list, and the form for a holder. `?name=` fills the form, and lists that holder's documents."""
    return _render_holders(request.args.get("name"))


def _render_refused(refusal: Message) -> str:
    """Render the holder that a form named before, with the refusal."""
    name = request.form.get("id") or request.form.get("name", "").strip()[:_MAX_FIELD_CHARACTERS]
    return _render_holders(name, refusal=refusal.text(language()))


@holders_blueprint.get("/names")
@needs(Right.READ)
def names() -> Response:
    """Suggest holders for the typed text."""
    typed = request.args.get("q", "")[:_MAX_FIELD_CHARACTERS]
    return jsonify([{"value": name, "label": name} for name in suggest_holders(services().product, typed)])


@holders_blueprint.post("/")
@needs(Right.HOLDERS)
@shows_refusal(_render_refused, NotFound)
def put() -> Response:
    """Store a holder. From its own form, a changed name renames it."""
    given = {field: request.form.get(field, "").strip()[:_MAX_FIELD_CHARACTERS] for field in ("name", *TEXT_FIELDS)}
    texts: dict[str, Any] = {field: given[field] or None for field in TEXT_FIELDS}
    before = request.form.get("id", "")
    holder = Holder(
        id=given["name"],
        sites=tuple(request.form.get("sites", "")[: _MAX_FIELD_CHARACTERS * 10].split()),
        acts_itself=bool(request.form.get("acts_itself")),
        **texts,
    )
    if before and before != holder.id:
        rename_holder(current_actor(), before, holder)
    else:
        put_holder(current_actor(), holder)
    return redirect_to("holders.show", t("holders.kept", name=given["name"]), name=given["name"])


@holders_blueprint.post("/merge")
@needs(Right.HOLDERS)
@shows_refusal(_render_refused, NotFound)
def merge() -> Response:
    """Merge two holders."""
    name, into = request.form.get("id", ""), request.form.get("into", "").strip()
    merge_holders(current_actor(), name, into)
    return redirect_to("holders.show", t("holders.merged", name=name, into=into), name=into)


@holders_blueprint.post("/remove")
@needs(Right.HOLDERS)
def remove() -> Response:
    """Remove a holder. Its works remain."""
    remove_holder(current_actor(), request.form.get("id", ""))
    return redirect_to("holders.show", t("holders.removed"))


def _render_holders(name: str | None = None, refusal: str | None = None) -> str:
    """Render all holders, and the named one with its documents and its missing requirements."""
    product, known = services().product, services().store.holders.all()
    holder = next((holder for holder in known if holder.id == name), None)
    today = china_day(product.now())
    return render_template(
        "works/holders.html",
        holders=known,
        lacking={holder.id: missing_requirements_today(product, holder) for holder in known},
        one=holder,
        text_fields=TEXT_FIELDS,
        kinds=list(PaperKind),
        is_valid=lambda paper: is_paper_valid(paper, today),
        today=today,
        refusal=refusal,
        form=request.form.to_dict() or _form_fields(holder, name),
    )


def _form_fields(holder: Holder | None, name: str | None) -> dict[str, str]:
    if holder is None:
        return {"name": name or ""}
    values = {field: getattr(holder, field) or "" for field in TEXT_FIELDS}
    return values | {
        "name": holder.id,
        "sites": "\n".join(holder.sites),
        "acts_itself": "1" if holder.acts_itself else "",
    }


documents_blueprint = Blueprint("papers", __name__, url_prefix="/holders/papers")


@documents_blueprint.post("/")
@needs(Right.HOLDERS)
@shows_refusal(_render_refused)
def add_document() -> Response:
    """Store a rights document, with or without a file."""
    holder, kind = request.form.get("id", ""), form_choice("kind", PaperKind)
    add_rights_document(
        current_actor(),
        holder,
        kind,
        request.form.get("title", "") or t(f"paper.{kind}"),
        valid_from=day_field("valid_from"),
        valid_until=day_field("valid_until"),
        file=uploaded_file("file"),
    )
    return redirect_to("holders.show", t("papers.kept", kind=t(f"paper.{kind}")), name=holder, _anchor="papers")


@documents_blueprint.post("/remove")
@needs(Right.HOLDERS)
def remove_document() -> Response:
    """Remove a rights document."""
    holder, _, id = request.form.get("id", "").rpartition("/")
    remove_rights_document(current_actor(), holder, id)
    return redirect_to("holders.show", t("holders.removed"), name=holder, _anchor="papers")


@documents_blueprint.get("/file")
@needs(Right.HOLDERS)
def hand_out_document() -> Response:
    """Download the file of a document. The browser must not open it."""
    file = export_rights_document(current_actor(), request.args.get("name", ""), request.args.get("id", ""))
    return file_response(file.name, file.content)
