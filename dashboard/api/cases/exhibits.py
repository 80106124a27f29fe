"""Cases as files that prove them (WACZ)."""

from flask_smorest.fields import Upload
from marshmallow import Schema, fields
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import FILE, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import BYTES, WACZ, as_file
from dashboard.frame.uploads import plain_name
from services.evidence import exhibits, receipts
from services.evidence.exhibits import ExhibitShown
from store.records import Exhibit, Receipt
from store.rules.role_rights import Right

blp = blueprint("exhibits", "Cases as files that prove them")

ExhibitOut = shown(Exhibit, leave_out=("sealed", "state", "due"))
ExhibitShownOut = shown(ExhibitShown, also={"exhibit": fields.Nested(ExhibitOut, required=True)})


class HeadsOut(Schema):
    """Of the request, where it was kept, and of the response."""

    heads = fields.List(fields.String(), required=True)


class ReceiptQuery(Schema):
    """Who gave it."""

    issuer = words(receipts.LONGEST, least=1, required=True)


class ReceiptUpload(Schema):
    """Kept as it comes."""

    file = Upload(required=True)


@blp.get("/cases/<int:number>/exhibits")
@blp.response(200, ExhibitShownOut(many=True))
@scope(Right.READ, part="exhibits")
def find(number: int) -> list[ExhibitShown]:
    """The newest exhibits of a case, each with how it stands: wanted, made, time-stamped."""
    product = services().product
    product.store.cases.get(str(number))
    return exhibits.of_case(product, number)


@blp.post("/cases/<int:number>/exhibits")
@blp.response(202, ExhibitOut)
@scope(Right.EXPORT, part="exhibits")
def ask(number: int) -> Exhibit:
    """Have an exhibit made in the background."""
    return exhibits.ask(acting(), number)


@blp.get("/exhibits/<string:id>/file")
@blp.response(200, FILE, content_type=WACZ)
@scope(Right.EXPORT, part="exhibits")
def hand_out(id: str) -> Response:
    """The file, WACZ 1.1.1, with its time stamp where one was given."""
    file = exhibits.hand_out(acting(), id)
    return as_file(file.name, file.content, WACZ)


@blp.get("/exhibits/<string:id>/masked")
@blp.response(200, HeadsOut)
@scope(Right.ACCESS, part="exhibits")
def unmask(id: str) -> dict[str, list[str]]:
    """The heads of request and response as they came, with the secrets that the file masks."""
    return {"heads": list(exhibits.unmask(acting(), id))}


@blp.get("/exhibits/<string:id>/manifest")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.EXPORT, part="exhibits")
def manifest(id: str) -> Response:
    """The manifest (datapackage.json), for a notary, an authority or a court's chain to vouch for."""
    file = receipts.hand_out_manifest(acting(), id)
    return as_file(file.name, file.content)


@blp.post("/exhibits/<string:id>/receipts")
@blp.arguments(ReceiptQuery, location="query")
@blp.arguments(ReceiptUpload, location="files")
@blp.response(201, shown(Receipt))
@scope(Right.EXPORT, part="exhibits")
def add_receipt(query: dict[str, str], given: dict[str, FileStorage], id: str) -> Receipt:
    """Keep what somebody gave for the manifest."""
    file = given["file"]
    return receipts.add(acting(), id, query["issuer"], plain_name(file), file.read())


@blp.get("/exhibits/<string:id>/receipts/<string:receipt>/file")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.EXPORT, part="exhibits")
def receipt(id: str, receipt: str) -> Response:
    """The file of a receipt, as it came."""
    file = receipts.hand_out(acting(), id, receipt)
    return as_file(file.name, file.content)
