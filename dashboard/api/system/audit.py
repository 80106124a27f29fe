"""The audit log."""

from typing import Any

from dashboard.api.blueprint import scope
from dashboard.api.cursors import by_number
from dashboard.api.schemas import ListQuery, list_of, moment, shown, words
from dashboard.api.system.health import blp
from dashboard.frame.context import services
from store.records import AuditEntry
from store.rules.role_rights import Right


class AuditQuery(ListQuery):
    """Which entries."""

    who = words(100)
    action = words(60, metadata={"description": "e.g. case.decide"})
    subject = words(1100, metadata={"description": "e.g. case:12"})
    token = words(12, metadata={"description": "id of the token through which it was done"})
    sha256 = words(64, metadata={"description": "of a file that left the house"})
    since = moment()
    until = moment()


@blp.get("/audit")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, list_of(shown(AuditEntry)))
@scope(Right.AUDIT, part="system")
def audit(query: dict[str, Any]) -> Any:
    """Who did what, the newest first."""
    where = {name: value for name, value in query.items() if name not in {"cursor", "limit"}}
    log = services().store.audit
    return by_number(
        query, lambda before, limit: log.find(before=before, limit=limit, **where), lambda entry: entry.number
    )
