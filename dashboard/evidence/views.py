"""Request and download exhibits and receipts, and show source pictures with passages framed."""

from flask import Blueprint, Response, request

from dashboard.cases.selection import back_to_case
from dashboard.frame.context import current_actor, language, numbered_case, services, shows_refusal, t
from dashboard.frame.requests import WACZ_TYPE, file_response, uploaded_file
from dashboard.frame.security import needs
from wenhen.cases.passages import draw_passage_frame
from wenhen.evidence.exhibits import export_exhibit, export_manifest, export_receipt, request_exhibit, store_receipt
from wenhen.kit.rights import Right

# Exhibits of a case: requested, listed and downloaded. Manifests and their receipts are part of it.


exhibits_blueprint = Blueprint("exhibits", __name__, url_prefix="/cases")


@exhibits_blueprint.post("/<int:number>/exhibits")
@needs(Right.EXPORT)
def ask(number: int) -> Response:
    """Request an exhibit of the case."""
    request_exhibit(current_actor(), number)
    return back_to_case(number, t("exhibits.asked"), anchor="exhibits")


@exhibits_blueprint.get("/exhibits/<string:id>.wacz")
@needs(Right.EXPORT)
def hand_out(id: str) -> Response:
    """Download the exhibit, with its time stamp if there is one."""
    file = export_exhibit(current_actor(), id)
    return file_response(file.name, file.content, WACZ_TYPE)


@exhibits_blueprint.get("/exhibits/<string:id>/manifest.json")
@needs(Right.EXPORT)
def manifest(id: str) -> Response:
    """Download the manifest, for a notary or a blockchain to certify."""
    file = export_manifest(current_actor(), id)
    return file_response(file.name, file.content)


@exhibits_blueprint.post("/<int:number>/exhibits/<string:id>/receipts")
@needs(Right.EXPORT)
@shows_refusal(lambda refusal, number, **_: back_to_case(number, refusal.text(language()), anchor="exhibits"))
def add_receipt(number: int, id: str) -> Response:
    """Store a receipt that somebody issued for the manifest."""
    name, content = uploaded_file("file") or ("", b"")
    store_receipt(current_actor(), id, request.form.get("issuer", ""), name, content)
    return back_to_case(number, t("exhibits.receipt_kept"), anchor="exhibits")


@exhibits_blueprint.get("/exhibits/<string:id>/receipts/<string:receipt>")
@needs(Right.EXPORT)
def receipt(id: str, receipt: str) -> Response:
    """Download the file of a receipt. The browser must not open it."""
    file = export_receipt(current_actor(), id, receipt)
    return file_response(file.name, file.content)


pictures_blueprint = Blueprint("pictures", __name__, url_prefix="/cases")


@pictures_blueprint.get("/<int:number>/pictures/<int:passage>/<int:picture>")
@needs(Right.READ)
def show(number: int, passage: int, picture: int) -> Response:
    """Show a picture of the page with a passage framed.

    The picture is drawn again, so that no bytes of the original reach a browser.
    """
    case = numbered_case(number)
    return Response(draw_passage_frame(services().product, case, passage, picture), mimetype="image/png")
