"""Serve the API of licences of authorised reprints."""

from marshmallow import Schema

from dashboard.frame.api import OPTIONAL, ApiBlueprint, JsonObject, moment_field, record_schema, text_field
from dashboard.frame.context import current_actor, services
from wenhen.kit.rights import Right
from wenhen.licences.model import Licence
from wenhen.licences.service import add_licence, remove_licence

licences_blp = ApiBlueprint("licences", "The authorised reprints")


class LicenceIn(Schema):
    """The licensee, the address prefix, and the licensed work or all works."""

    licensee = text_field(200, least=1, required=True)
    url_prefix = text_field(500, least=1, required=True, metadata={"description": "host or host/path"})
    work_id = text_field(1000, **OPTIONAL, metadata={"description": "null covers every work"})
    holder = text_field(200, **OPTIONAL, metadata={"description": "only works of this rights holder"})
    valid_from = moment_field(**OPTIONAL, metadata={"description": "its first moment: 00:00 of its first day in China"})
    valid_until = moment_field(
        **OPTIONAL,
        metadata={"description": "the moment at which it ends: 00:00 of the day after its last one in China"},
    )
    attribution = text_field(500, **OPTIONAL, metadata={"description": "what the page has to say of its source"})


@licences_blp.get("/licences")
@licences_blp.response(200, record_schema(Licence)(many=True))
@licences_blp.scope(Right.READ)
def find() -> list[Licence]:
    """All licences."""
    return services().store.licences.all()


@licences_blp.post("/licences")
@licences_blp.arguments(LicenceIn)
@licences_blp.response(201, record_schema(Licence))
@licences_blp.scope(Right.LICENCES)
def add(given: JsonObject) -> Licence:
    """Put a licence on record."""
    return add_licence(current_actor(), given.pop("licensee"), given.pop("url_prefix"), **given)


@licences_blp.delete("/licences/<string:id>")
@licences_blp.response(204)
@licences_blp.scope(Right.LICENCES)
def remove(id: str) -> None:
    """Withdraw a licence."""
    remove_licence(current_actor(), id)
