"""The clusters of near-duplicate works and pages."""

from dataclasses import asdict
from typing import Any

from marshmallow import Schema, fields

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, list_of, shown
from dashboard.frame.context import services
from services.cases.cluster_members import members, titles
from store.records import ClusterSize, Member
from store.rules.role_rights import Right

blp = blueprint("clusters", "Near-duplicate works and pages, which stand together")


class MembersSchema(Schema):
    """The members of a cluster, the first seen first; the title of what is gone is null."""

    members = fields.List(
        fields.Nested(shown(Member, also={"title": fields.String(required=True, allow_none=True)})), required=True
    )


@blp.get("/clusters")
@blp.arguments(ListQuery, location="query")
@blp.response(200, list_of(shown(ClusterSize)))
@scope(Right.READ, part="clusters")
def find(query: dict[str, Any]) -> Any:
    """The clusters of two and more, the largest first."""
    return by_rows(query, lambda skip, limit: services().store.clusters.find(skip=skip, limit=limit))


@blp.get("/clusters/<string:id>")
@blp.response(200, MembersSchema)
@scope(Right.READ, part="clusters")
def get(id: str) -> dict[str, Any]:
    """One cluster with its members; the id may be that of one which was merged into it."""
    found = members(services().store, id)
    called = titles(services().store, [one.id for one in found])
    return {"members": [asdict(one) | {"title": called.get(one.id)} for one in found]}
