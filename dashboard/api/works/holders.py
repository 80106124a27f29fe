"""The rights holders and their papers."""

from datetime import date
from typing import Any

from flask_smorest.fields import Upload
from marshmallow import Schema, fields, validate
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import FILE, choice, day, shown, words
from dashboard.api.works.works import IdQuery
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import BYTES, as_file
from dashboard.frame.uploads import plain_name
from services.holders import holders, papers
from store.records import Holder, Paper, PaperKind
from store.rules.role_rights import Right

blp = blueprint("holders", "The rights holders, named as the owners of works")


class HolderIn(Schema):
    """What a notice has to say of a holder, and the places that are the holder's own."""

    contact = words(500, load_default=None, allow_none=True)
    address = words(500, load_default=None, allow_none=True)
    sites = fields.List(words(500, least=1), load_default=[], validate=validate.Length(max=100))
    identity = words(500, load_default=None, allow_none=True)
    representative = words(500, load_default=None, allow_none=True)
    acts_itself = fields.Boolean(load_default=False)


class MergeIn(Schema):
    """The holder that takes the other's place."""

    into = words(500, least=1, required=True)


class PaperQuery(IdQuery):
    """Of which holder, what it is, and its first and last day in China."""

    kind = choice(PaperKind, required=True)
    title = words(papers.LONGEST, least=1, required=True)
    valid_from = day(required=True)
    valid_until = day(metadata={"description": "without one it has no end"})


class PaperUpload(Schema):
    """A scan or photograph, kept as it comes."""

    file = Upload()


class LackOut(Schema):
    """What keeps a notice from being sent."""

    what = fields.String(required=True)
    said = fields.String(required=True)


@blp.get("/holders")
@blp.response(200, shown(Holder)(many=True))
@scope(Right.READ, part="holders")
def find() -> list[Holder]:
    """All holders."""
    return services().store.holders.all()


@blp.put("/holders/one")
@blp.arguments(IdQuery, location="query")
@blp.arguments(HolderIn)
@blp.response(200, shown(Holder))
@scope(Right.HOLDERS, part="holders")
def put(query: dict[str, str], given: dict[str, Any]) -> Holder:
    """Store a holder in place of the one of that name, whose papers stay."""
    return holders.put(acting(), Holder(id=query["id"], **{**given, "sites": tuple(given["sites"])}))


@blp.get("/holders/one/lacks")
@blp.arguments(IdQuery, location="query")
@blp.response(200, LackOut(many=True))
@scope(Right.READ, part="holders")
def lacks(query: dict[str, str]) -> list[dict[str, str]]:
    """What the holder lacks today for a notice to be sent in its name; nothing, and it can be."""
    product = services().product
    found = holders.lacks_now(product, product.store.holders.get(query["id"]))
    return [{"what": one.what, "said": str(one.said)} for one in found]


@blp.post("/holders/one/merge")
@blp.arguments(IdQuery, location="query")
@blp.arguments(MergeIn)
@blp.response(200, shown(Holder))
@scope(Right.HOLDERS, part="holders")
def merge(query: dict[str, str], given: dict[str, str]) -> Holder:
    """Make one of two holders: works, sites and papers go to the other, and this record is forgotten."""
    return holders.merge(acting(), query["id"], given["into"])


@blp.delete("/holders/one")
@blp.arguments(IdQuery, location="query")
@blp.response(204)
@scope(Right.HOLDERS, part="holders")
def remove(query: dict[str, str]) -> None:
    """Forget a holder; its works stay."""
    holders.remove(acting(), query["id"])


@blp.post("/holders/one/papers")
@blp.arguments(PaperQuery, location="query")
@blp.arguments(PaperUpload, location="files")
@blp.response(201, shown(Paper))
@scope(Right.HOLDERS, part="holders")
def add_paper(query: dict[str, Any], given: dict[str, FileStorage]) -> Paper:
    """Keep a paper of the holder, with its file where one is sent."""
    file = given.get("file")
    days: dict[str, date] = {name: query[name] for name in ("valid_from", "valid_until") if name in query}
    sent = (plain_name(file), file.read()) if file else None
    return papers.add(acting(), query["id"], query["kind"], query["title"], file=sent, **days)


@blp.delete("/holders/one/papers/<string:paper>")
@blp.arguments(IdQuery, location="query")
@blp.response(204)
@scope(Right.HOLDERS, part="holders")
def remove_paper(query: dict[str, str], paper: str) -> None:
    """Forget a paper."""
    papers.remove(acting(), query["id"], paper)


@blp.get("/holders/one/papers/<string:paper>/file")
@blp.arguments(IdQuery, location="query")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.HOLDERS, part="holders")
def hand_out_paper(query: dict[str, str], paper: str) -> Response:
    """The file of a paper, as it came."""
    file = papers.hand_out(acting(), query["id"], paper)
    return as_file(file.name, file.content)
