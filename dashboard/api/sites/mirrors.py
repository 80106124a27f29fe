"""Hosts that carry the pages of another."""

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import shown
from dashboard.frame.context import services
from store.records import Mirror
from store.rules.role_rights import Right

blp = blueprint("mirrors", "Hosts that carry the pages of another")


@blp.get("/mirrors")
@blp.response(200, shown(Mirror)(many=True))
@scope(Right.READ, part="mirrors")
def find() -> list[Mirror]:
    """All mirrors, each with the host that it is counted as."""
    return services().store.mirrors.all()
