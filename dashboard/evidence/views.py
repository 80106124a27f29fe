"""Request and download exhibits and receipts, and show source pictures with passages framed."""

from flask import Blueprint, flash, redirect, request, url_for
from flask import Response as FlaskResponse
from werkzeug.wrappers import Response as WerkzeugResponse

from dashboard.cases.selection import requested_filter
from dashboard.frame.context import current_actor, language, services, t
from dashboard.frame.requests import WACZ_TYPE, file_response, uploaded_files
from dashboard.frame.security import needs
from wenhen.cases.passages import draw_passage_frame
from wenhen.evidence.exhibits import export_exhibit, export_manifest, export_receipt, request_exhibit, store_receipt
from wenhen.kit.errors import BadInput, TooLarge
from wenhen.kit.rights import Right

# Exhibits of a case: requested, listed and downloaded. Manifests and their receipts are part of it.


exhibits_blueprint = Blueprint("exhibits", __name__, url_prefix="/cases")


@exhibits_blueprint.post("/<int:number>/exhibits")
@needs(Right.EXPORT)
def ask(number: int) -> WerkzeugResponse:
    """Request an exhibit of the case."""
    request_exhibit(current_actor(), number)
    return _back_to_exhibits(number, t("exhibits.asked"))


@exhibits_blueprint.get("/exhibits/<string:id>.wacz")
@needs(Right.EXPORT)
def hand_out(id: str) -> WerkzeugResponse:
    """Download the exhibit, with its time stamp if there is one."""
    file = export_exhibit(current_actor(), id)
    return file_response(file.name, file.content, WACZ_TYPE)


@exhibits_blueprint.get("/exhibits/<string:id>/manifest.json")
@needs(Right.EXPORT)
def manifest(id: str) -> WerkzeugResponse:
    """Download the manifest, for a notary or a blockchain to certify."""
    file = export_manifest(current_actor(), id)
    return file_response(file.name, file.content)


@exhibits_blueprint.post("/<int:number>/exhibits/<string:id>/receipts")
@needs(Right.EXPORT)
def add_receipt(number: int, id: str) -> WerkzeugResponse:
    """Store a receipt that somebody issued for the manifest."""
    name, content = next(iter(uploaded_files("file")), ("", b""))
    try:
        store_receipt(current_actor(), id, request.form.get("issuer", ""), name, content)
    except (BadInput, TooLarge) as error:
        return _back_to_exhibits(number, error.message.text(language()))
    return _back_to_exhibits(number, t("exhibits.receipt_kept"))


@exhibits_blueprint.get("/exhibits/<string:id>/receipts/<string:receipt>")
@needs(Right.EXPORT)
def receipt(id: str, receipt: str) -> WerkzeugResponse:
    """Download the file of a receipt. The browser must not open it."""
    file = export_receipt(current_actor(), id, receipt)
    return file_response(file.name, file.content)


def _back_to_exhibits(number: int, text: str) -> WerkzeugResponse:
    flash(text)
    address = url_for("case.show", number=number, _external=False, **requested_filter().arguments())
    return redirect(f"{address}#exhibits", 303)


pictures_blueprint = Blueprint("pictures", __name__, url_prefix="/cases")


@pictures_blueprint.get("/<int:number>/pictures/<int:passage>/<int:picture>")
@needs(Right.READ)
def show(number: int, passage: int, picture: int) -> FlaskResponse:
    """Show a picture of the page with a passage framed.

    The picture is drawn again, so that no bytes of the original reach a browser.
    """
    case = services().store.cases.get(str(number))
    return FlaskResponse(draw_passage_frame(services().product, case, passage, picture), mimetype="image/png")
