"""The authorised reprints."""

from typing import Any

from marshmallow import Schema

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import moment, shown, words
from dashboard.frame.context import acting, services
from services import licences
from store.records import Licence
from store.rules.role_rights import Right

blp = blueprint("licences", "The authorised reprints")


class LicenceIn(Schema):
    """Who may carry one work, or all, below an address."""

    licensee = words(200, least=1, required=True)
    url_prefix = words(500, least=1, required=True, metadata={"description": "host or host/path"})
    work_id = words(1000, load_default=None, allow_none=True, metadata={"description": "null covers every work"})
    valid_from = moment(load_default=None, allow_none=True)
    valid_until = moment(load_default=None, allow_none=True)
    attribution = words(
        500, load_default=None, allow_none=True, metadata={"description": "what the page has to say of its source"}
    )


@blp.get("/licences")
@blp.response(200, shown(Licence)(many=True))
@scope(Right.READ, part="licences")
def find() -> list[Licence]:
    """All licences."""
    return services().store.licences.all()


@blp.post("/licences")
@blp.arguments(LicenceIn)
@blp.response(201, shown(Licence))
@scope(Right.LICENCES, part="licences")
def add(given: dict[str, Any]) -> Licence:
    """Put a licence on record."""
    return licences.add(acting(), given.pop("licensee"), given.pop("url_prefix"), **given)


@blp.delete("/licences/<string:id>")
@blp.response(204)
@scope(Right.LICENCES, part="licences")
def remove(id: str) -> None:
    """Withdraw a licence."""
    licences.remove(acting(), id)
