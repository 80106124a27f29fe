"""Serve the API of rights holders and their rights documents."""

from datetime import date

from flask import Response
from marshmallow import Schema, fields, validate

from dashboard.frame.api import (
    FILE_SCHEMA,
    OPTIONAL,
    ApiBlueprint,
    FileField,
    IdQuery,
    JsonObject,
    UploadedFile,
    choice_field,
    day_field,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import OCTET_STREAM_TYPE, file_response
from wenhen.holders.model import Holder, Lack, Paper, PaperKind
from wenhen.holders.service import (
    MAX_TITLE_CHARACTERS,
    add_rights_document,
    change_holder_name,
    export_rights_document,
    merge_holders,
    missing_requirements_today,
    put_holder,
    remove_holder,
    remove_rights_document,
)
from wenhen.kit.rights import Right

holders_blp = ApiBlueprint("holders", "The rights holders, named as the owners of works")


class HolderIn(Schema):
    """The details of a holder that a notice needs, and the holder's own sites."""

    contact = text_field(500, **OPTIONAL)
    address = text_field(500, **OPTIONAL)
    sites = fields.List(text_field(500, least=1), load_default=[], validate=validate.Length(max=100))
    identity = text_field(500, **OPTIONAL)
    representative = text_field(500, **OPTIONAL)
    acts_itself = fields.Boolean(load_default=False)


class MergeIn(Schema):
    """The holder that remains after the merge."""

    into = text_field(500, least=1, required=True)


class RenameIn(Schema):
    """The new name, which no other holder has."""

    name = text_field(500, least=1, required=True)


class PaperQuery(IdQuery):
    """The holder of a document, its kind, and its first and last day in China."""

    kind = choice_field(PaperKind, required=True)
    title = text_field(MAX_TITLE_CHARACTERS, least=1, required=True)
    valid_from = day_field(required=True)
    valid_until = day_field(metadata={"description": "without one it has no end"})


class PaperUpload(Schema):
    """A scan or photograph. It is stored unchanged."""

    file = FileField()


@holders_blp.get("/holders")
@holders_blp.response(200, record_schema(Holder)(many=True))
@holders_blp.scope(Right.READ)
def find() -> list[Holder]:
    """All holders."""
    return services().store.holders.all()


@holders_blp.put("/holders/one")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.arguments(HolderIn)
@holders_blp.response(200, record_schema(Holder))
@holders_blp.scope(Right.HOLDERS)
def put(query: dict[str, str], body: JsonObject) -> Holder:
    """Store a holder in place of the one of that name, whose papers stay."""
    return put_holder(current_actor(), Holder(id=query["id"], **{**body, "sites": tuple(body["sites"])}))


@holders_blp.get("/holders/one/lacks")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.response(200, record_schema(Lack, name="LackOut")(many=True))
@holders_blp.scope(Right.READ)
def lacks(query: dict[str, str]) -> list[Lack]:
    """What the holder lacks today for a notice to be sent in its name; nothing, and it can be."""
    product = services().product
    return missing_requirements_today(product, product.store.holders.get(query["id"]))


@holders_blp.post("/holders/one/merge")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.arguments(MergeIn)
@holders_blp.response(200, record_schema(Holder))
@holders_blp.scope(Right.HOLDERS)
def merge(query: dict[str, str], body: dict[str, str]) -> Holder:
    """Make one of two holders: works, sites and papers go to the other, and this record is forgotten."""
    return merge_holders(current_actor(), query["id"], body["into"])


@holders_blp.post("/holders/one/rename")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.arguments(RenameIn)
@holders_blp.response(200, record_schema(Holder))
@holders_blp.scope(Right.HOLDERS)
def rename(query: dict[str, str], body: dict[str, str]) -> Holder:
    """Give a holder another name; its works, papers, licences and notices go with it."""
    return change_holder_name(current_actor(), query["id"], body["name"])


@holders_blp.delete("/holders/one")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.response(204)
@holders_blp.scope(Right.HOLDERS)
def remove(query: dict[str, str]) -> None:
    """Forget a holder; its works stay."""
    remove_holder(current_actor(), query["id"])


@holders_blp.post("/holders/one/papers")
@holders_blp.arguments(PaperQuery, location="query")
@holders_blp.arguments(PaperUpload, location="files")
@holders_blp.response(201, record_schema(Paper))
@holders_blp.scope(Right.HOLDERS)
def add_paper(query: JsonObject, files: dict[str, UploadedFile]) -> Paper:
    """Keep a paper of the holder, with its file where one is sent."""
    days: dict[str, date] = {name: query[name] for name in ("valid_from", "valid_until") if name in query}
    file = files.get("file")
    return add_rights_document(current_actor(), query["id"], query["kind"], query["title"], file=file, **days)


@holders_blp.delete("/holders/one/papers/<string:paper>")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.response(204)
@holders_blp.scope(Right.HOLDERS)
def remove_paper(query: dict[str, str], paper: str) -> None:
    """Forget a paper."""
    remove_rights_document(current_actor(), query["id"], paper)


@holders_blp.get("/holders/one/papers/<string:paper>/file")
@holders_blp.arguments(IdQuery, location="query")
@holders_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@holders_blp.scope(Right.HOLDERS)
def hand_out_paper(query: dict[str, str], paper: str) -> Response:
    """The file of a paper, as it came."""
    file = export_rights_document(current_actor(), query["id"], paper)
    return file_response(file.name, file.content)
