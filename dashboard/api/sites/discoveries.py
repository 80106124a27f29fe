"""The review list of addresses that a search engine gave for a work's sentences."""

from typing import Any, Final, Literal

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.cursors import by_rows
from dashboard.api.schemas import ListQuery, choice, list_of, shown, words
from dashboard.frame.context import acting, services
from services.discover import review
from store.records import Discovery, DiscoveryStatus
from store.rules.role_rights import Right

blp = blueprint("discoveries", "Addresses that searches found")

_MOST: Final = 2_000  # addresses of one decision
_DECISIONS: Final = {"accept": DiscoveryStatus.ACCEPTED, "refuse": DiscoveryStatus.REFUSED}


class DiscoveriesQuery(ListQuery):
    """Which addresses."""

    status = choice(DiscoveryStatus)
    work = words(1000, metadata={"description": "id of a work"})


class AddressList(Schema):
    """Which addresses, by id."""

    ids = fields.List(words(300, least=1), required=True, validate=validate.Length(1, _MOST))


@blp.get("/discoveries")
@blp.arguments(DiscoveriesQuery, location="query")
@blp.response(200, list_of(shown(Discovery)))
@scope(Right.READ, part="discoveries")
def find(query: dict[str, Any]) -> Any:
    """The addresses, the last found first."""
    found, status, work = services().store.discoveries, query.get("status"), query.get("work")
    return by_rows(query, lambda skip, limit: found.find(work_id=work, status=status, skip=skip, limit=limit))


@blp.post("/discoveries/<any(accept, refuse):decision>")
@blp.arguments(AddressList)
@blp.response(202)
@scope(Right.CRAWL, part="discoveries")
def decide(given: dict[str, list[str]], decision: Literal["accept", "refuse"]) -> None:
    """Let one crawl fetch these addresses, or leave them alone from now on."""
    review.decide(acting(), list(dict.fromkeys(given["ids"])), _DECISIONS[decision])
