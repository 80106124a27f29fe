"""Serve the API of exhibits: WACZ files, manifests and receipts."""

from flask import Response
from marshmallow import Schema, fields

from dashboard.frame.api import FILE_SCHEMA, ApiBlueprint, FileField, UploadedFile, record_schema, text_field
from dashboard.frame.context import current_actor, numbered_case, services
from dashboard.frame.requests import OCTET_STREAM_TYPE, WACZ_TYPE, file_response
from wenhen.evidence.exhibits import (
    MAX_ISSUER_CHARACTERS,
    ExhibitShown,
    export_exhibit,
    export_manifest,
    export_receipt,
    find_case_exhibits,
    request_exhibit,
    store_receipt,
    unmask_exhibit,
)
from wenhen.evidence.model import Exhibit, Receipt
from wenhen.kit.rights import Right

exhibits_blp = ApiBlueprint("exhibits", "Cases as files that prove them")

ExhibitOut = record_schema(Exhibit, leave_out=("sealed", "state", "due"))
ExhibitShownOut = record_schema(ExhibitShown, also={"exhibit": fields.Nested(ExhibitOut, required=True)})


class HeadsOut(Schema):
    """The HTTP headers of the request, if they were stored, and of the response."""

    heads = fields.List(fields.String(), required=True)


class ReceiptQuery(Schema):
    """The issuer of a receipt."""

    issuer = text_field(MAX_ISSUER_CHARACTERS, least=1, required=True)


class ReceiptUpload(Schema):
    """The file of a receipt. It is stored unchanged."""

    file = FileField(required=True)


@exhibits_blp.get("/cases/<int:number>/exhibits")
@exhibits_blp.response(200, ExhibitShownOut(many=True))
@exhibits_blp.scope(Right.READ)
def find(number: int) -> list[ExhibitShown]:
    """The newest exhibits of a case, each with how it stands: wanted, made, time-stamped."""
    return find_case_exhibits(services().product, numbered_case(number).number)


@exhibits_blp.post("/cases/<int:number>/exhibits")
@exhibits_blp.response(202, ExhibitOut)
@exhibits_blp.scope(Right.EXPORT)
def ask(number: int) -> Exhibit:
    """Have an exhibit made in the background."""
    return request_exhibit(current_actor(), number)


@exhibits_blp.get("/exhibits/<string:id>/file")
@exhibits_blp.response(200, FILE_SCHEMA, content_type=WACZ_TYPE)
@exhibits_blp.scope(Right.EXPORT)
def hand_out(id: str) -> Response:
    """The file, WACZ 1.1.1, with its time stamp where one was given."""
    file = export_exhibit(current_actor(), id)
    return file_response(file.name, file.content, WACZ_TYPE)


@exhibits_blp.get("/exhibits/<string:id>/masked")
@exhibits_blp.response(200, HeadsOut)
@exhibits_blp.scope(Right.ACCESS)
def unmask(id: str) -> dict[str, list[str]]:
    """The heads of request and response as they came, with the secrets that the file masks."""
    return {"heads": list(unmask_exhibit(current_actor(), id))}


@exhibits_blp.get("/exhibits/<string:id>/manifest")
@exhibits_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@exhibits_blp.scope(Right.EXPORT)
def manifest(id: str) -> Response:
    """The manifest (datapackage.json), for a notary, an authority or a court's chain to vouch for."""
    file = export_manifest(current_actor(), id)
    return file_response(file.name, file.content)


@exhibits_blp.post("/exhibits/<string:id>/receipts")
@exhibits_blp.arguments(ReceiptQuery, location="query")
@exhibits_blp.arguments(ReceiptUpload, location="files")
@exhibits_blp.response(201, record_schema(Receipt))
@exhibits_blp.scope(Right.EXPORT)
def add_receipt(query: dict[str, str], files: dict[str, UploadedFile], id: str) -> Receipt:
    """Keep what somebody gave for the manifest."""
    return store_receipt(current_actor(), id, query["issuer"], *files["file"])


@exhibits_blp.get("/exhibits/<string:id>/receipts/<string:receipt>/file")
@exhibits_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@exhibits_blp.scope(Right.EXPORT)
def receipt(id: str, receipt: str) -> Response:
    """The file of a receipt, as it came."""
    file = export_receipt(current_actor(), id, receipt)
    return file_response(file.name, file.content)
