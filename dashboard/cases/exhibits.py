"""Exhibits of a case: asked for by a button, listed, taken away; their manifests and what others gave for these."""

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response

from dashboard.cases.queue.suspect_filter import wanted
from dashboard.frame.context import acting
from dashboard.frame.downloads import as_file
from dashboard.frame.language import language, t
from dashboard.frame.permissions import needs
from dashboard.frame.uploads import sent
from services.evidence import exhibits, receipts
from store.errors import BadInput, TooLarge
from store.rules.role_rights import Right

blueprint = Blueprint("exhibits", __name__, url_prefix="/cases")
TYPE = "application/wacz"
_BYTES = "application/octet-stream"


@blueprint.post("/<int:number>/exhibits")
@needs(Right.EXPORT)
def ask(number: int) -> Response:
    """Have one made."""
    exhibits.ask(acting(), number)
    return _back(number, t("exhibits.asked"))


@blueprint.get("/exhibits/<string:id>.wacz")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """The file, with its time stamp where one was given."""
    file = exhibits.hand_out(acting(), id)
    return as_file(file.name, file.content, TYPE)


@blueprint.get("/exhibits/<string:id>/manifest.json")
@needs(Right.EXPORT)
def manifest(id: str) -> Response:
    """The manifest, for a notary or a chain to vouch for."""
    return _taken(receipts.hand_out_manifest(acting(), id))


@blueprint.post("/<int:number>/exhibits/<string:id>/receipts")
@needs(Right.EXPORT)
def add_receipt(number: int, id: str) -> Response:
    """Keep what somebody gave for the manifest."""
    name, content = next(iter(sent("file")), ("", b""))
    try:
        receipts.add(acting(), id, request.form.get("issuer", ""), name, content)
    except (BadInput, TooLarge) as error:
        return _back(number, error.message.text(language()))
    return _back(number, t("exhibits.receipt_kept"))


@blueprint.get("/exhibits/<string:id>/receipts/<string:receipt>")
@needs(Right.EXPORT)
def receipt(id: str, receipt: str) -> Response:
    """The file of a receipt, as bytes to be kept."""
    return _taken(receipts.hand_out(acting(), id, receipt))


def _taken(file: receipts.TakenFile) -> Response:
    return as_file(file.name, file.content)


def _back(number: int, told: str) -> Response:
    flash(told)
    address = url_for("case.show", number=number, _external=False, **wanted().arguments())
    return redirect(f"{address}#exhibits", 303)
