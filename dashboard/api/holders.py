"""The rights holders."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import shown, words
from dashboard.api.works import IdQuery
from dashboard.frame.context import acting, services
from services import holders
from store.records import Holder
from store.rules.rights import Right

blp = blueprint("holders", "The rights holders, named as the owners of works")


class HolderIn(Schema):
    """What a notice has to say of a holder, and the places that are the holder's own."""

    contact = words(500, load_default=None, allow_none=True)
    address = words(500, load_default=None, allow_none=True)
    sites = fields.List(words(500, least=1), load_default=[], validate=validate.Length(max=100))


@blp.get("/holders")
@blp.response(200, shown(Holder)(many=True))
@scope(Right.READ)
def find() -> list[Holder]:
    """All holders."""
    return services().store.holders.all()


@blp.put("/holders/one")
@blp.arguments(IdQuery, location="query")
@blp.arguments(HolderIn)
@blp.response(200, shown(Holder))
@scope(Right.WORKS)
def put(query: dict[str, str], given: dict[str, Any]) -> Holder:
    """Store a holder in place of the one of that name."""
    holder = Holder(id=query["id"], contact=given["contact"], address=given["address"], sites=tuple(given["sites"]))
    return holders.put(acting(), holder)


@blp.delete("/holders/one")
@blp.arguments(IdQuery, location="query")
@blp.response(204)
@scope(Right.WORKS)
def remove(query: dict[str, str]) -> None:
    """Forget a holder; its works stay."""
    holders.remove(acting(), query["id"])
