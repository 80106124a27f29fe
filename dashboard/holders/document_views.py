"""Store, download and remove the rights documents of a holder."""

from flask import Blueprint, abort, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor
from dashboard.frame.language import language, t
from dashboard.frame.requests import day_argument, file_response, uploaded_files
from dashboard.frame.security import needs
from dashboard.holders.views import render_holders
from wenhen.holders.model import PaperKind
from wenhen.holders.service import add_rights_document, export_rights_document, remove_rights_document
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right

documents_blueprint = Blueprint("papers", __name__, url_prefix="/holders/papers")


@documents_blueprint.post("/")
@needs(Right.HOLDERS)
def add() -> Response | tuple[str, int]:
    """Store a rights document, with or without a file."""
    holder = request.form.get("id", "")
    try:
        kind = PaperKind(request.form.get("kind", ""))
    except ValueError:
        abort(400)
    try:
        add_rights_document(
            current_actor(),
            holder,
            kind,
            request.form.get("title", "") or t(f"paper.{kind}"),
            valid_from=day_argument("valid_from"),
            valid_until=day_argument("valid_until"),
            file=next(iter(uploaded_files("file")), None),
        )
    except BadInput as error:
        return render_holders(holder, refusal=error.message.text(language())), 400
    flash(t("papers.kept", kind=t(f"paper.{kind}")))
    return redirect(url_for("holders.show", name=holder) + "#papers", 303)


@documents_blueprint.post("/remove")
@needs(Right.HOLDERS)
def remove() -> Response:
    """Remove a rights document."""
    holder, _, id = request.form.get("id", "").rpartition("/")
    remove_rights_document(current_actor(), holder, id)
    flash(t("holders.removed"))
    return redirect(url_for("holders.show", name=holder) + "#papers", 303)


@documents_blueprint.get("/file")
@needs(Right.HOLDERS)
def hand_out() -> Response:
    """Download the file of a document. The browser must not open it."""
    file = export_rights_document(current_actor(), request.args.get("name", ""), request.args.get("id", ""))
    return file_response(file.name, file.content)
