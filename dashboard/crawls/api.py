"""Serve the API of runs, and of discovered addresses that a crawl may fetch."""

from typing import Final, Literal

from marshmallow import Schema, fields, validate

from dashboard.frame.api import (
    ApiBlueprint,
    JsonObject,
    ListQuery,
    choice_field,
    list_schema,
    page_by_rows,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.sites.api import sites_blp
from wenhen.crawls.comparison import (
    MAX_PATTERN_CHARACTERS,
    SHOWN_WAITING_ADDRESSES,
    Waiting,
    drop_waiting_addresses,
    find_missed_addresses,
    find_waiting,
)
from wenhen.crawls.model import Run, RunKind
from wenhen.crawls.service import RUN_ACTIONS
from wenhen.discovery.continuations import Continuation, find_continuations
from wenhen.discovery.model import Discovery, DiscoveryStatus, RequestedSearch
from wenhen.discovery.service import decide_discoveries, request_search, requested_searches
from wenhen.kit.progress import Subject
from wenhen.kit.rights import Right
from wenhen.steps.problems import Problem

# Crawls and other long tasks: their runs, their missed and waiting addresses, and actions to pause, resume or stop
# them.


class RunsQuery(Schema):
    """The conditions of the runs to list."""

    kind = choice_field(RunKind)
    subject = text_field(300, metadata={"description": "the id of a site"})
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


class WaitingQuery(Schema):
    """The pattern of the waiting addresses to list."""

    pattern = text_field(
        MAX_PATTERN_CHARACTERS, load_default="", metadata={"description": "as a site's include and exclude"}
    )
    limit = fields.Integer(load_default=SHOWN_WAITING_ADDRESSES, validate=validate.Range(1, 10_000))


class DropIn(Schema):
    """The pattern of the addresses to drop."""

    pattern = text_field(MAX_PATTERN_CHARACTERS, least=1, required=True)


class DroppedAddresses(Schema):
    """The number of dropped addresses."""

    count = fields.Integer(required=True)


@sites_blp.get("/runs")
@sites_blp.arguments(RunsQuery, location="query")
@sites_blp.response(200, record_schema(Run)(many=True))
@sites_blp.scope(Right.READ)
def runs(query: JsonObject) -> list[Run]:
    """The runs that started last, the newest first."""
    subject = Subject.read(query["subject"]) if "subject" in query else None
    return services().store.runs.recent(kind=query.get("kind"), subject=subject, limit=query["limit"])


@sites_blp.get("/runs/<string:id>")
@sites_blp.response(200, record_schema(Run))
@sites_blp.scope(Right.READ)
def run(id: str) -> Run:
    """One run."""
    return services().store.runs.get(id)


@sites_blp.get("/runs/<string:id>/missed")
@sites_blp.response(200, record_schema(Problem)(many=True))
@sites_blp.scope(Right.READ)
def missed(id: str) -> list[Problem]:
    """The addresses of a run that gave nothing, by reason, the most frequent first."""
    run = services().store.runs.get(id)
    return [address for addresses in find_missed_addresses(services().store, run.id).values() for address in addresses]


@sites_blp.get("/runs/<string:id>/waiting")
@sites_blp.arguments(WaitingQuery, location="query")
@sites_blp.response(200, record_schema(Waiting))
@sites_blp.scope(Right.READ)
def look_at_waiting(query: JsonObject, id: str) -> Waiting:
    """What a crawl has still to fetch: how many addresses, and the first of them."""
    return find_waiting(services().product, id, query["pattern"], query["limit"])


@sites_blp.post("/runs/<string:id>/drop")
@sites_blp.arguments(DropIn)
@sites_blp.response(200, DroppedAddresses)
@sites_blp.scope(Right.CRAWL)
def drop_waiting(body: dict[str, str], id: str) -> dict[str, int]:
    """Drop what waits in a crawl and fits a pattern; its next run finds it again."""
    return {"count": drop_waiting_addresses(current_actor(), id, body["pattern"])}


@sites_blp.post("/runs/<string:id>/<any(pause, resume, stop):to>")
@sites_blp.response(202)
@sites_blp.scope(Right.CRAWL)
def steer(id: str, to: str) -> None:
    """Pause, resume or stop a crawl."""
    RUN_ACTIONS[to](current_actor(), id)


discoveries_blp = ApiBlueprint("discoveries", "Addresses that searches found")

_MAX_ADDRESSES: Final = 2_000  # addresses in one decision
_STATUS_BY_DECISION: Final = {"accept": DiscoveryStatus.ACCEPTED, "refuse": DiscoveryStatus.REFUSED}


class DiscoveriesQuery(ListQuery):
    """The conditions of the addresses to list."""

    status = choice_field(DiscoveryStatus)
    work = text_field(1000, metadata={"description": "id of a work"})


class AddressList(Schema):
    """The ids of addresses."""

    ids = fields.List(text_field(300, least=1), required=True, validate=validate.Length(1, _MAX_ADDRESSES))


@discoveries_blp.get("/discoveries")
@discoveries_blp.arguments(DiscoveriesQuery, location="query")
@discoveries_blp.response(200, list_schema(record_schema(Discovery)))
@discoveries_blp.scope(Right.READ)
def find(query: JsonObject) -> JsonObject:
    """The addresses, the last found first."""
    discoveries, status, work = services().store.discoveries, query.get("status"), query.get("work")
    return page_by_rows(
        query, lambda skip, limit: discoveries.find(work_id=work, status=status, skip=skip, limit=limit)
    )


class SeriesQuery(Schema):
    """The name of a series."""

    series = text_field(300, least=1, required=True)


@discoveries_blp.get("/discoveries/continuations")
@discoveries_blp.arguments(SeriesQuery, location="query")
@discoveries_blp.response(200, record_schema(Continuation)(many=True))
@discoveries_blp.scope(Right.READ)
def list_continuations(query: dict[str, str]) -> list[Continuation]:
    """The books that copy a series and go on with chapters of somebody else."""
    return find_continuations(services().product, query["series"])


@discoveries_blp.post("/discoveries/<any(accept, refuse):decision>")
@discoveries_blp.arguments(AddressList)
@discoveries_blp.response(202)
@discoveries_blp.scope(Right.CRAWL)
def decide(body: dict[str, list[str]], decision: Literal["accept", "refuse"]) -> None:
    """Let one crawl fetch these addresses, or leave them alone from now on."""
    decide_discoveries(current_actor(), list(dict.fromkeys(body["ids"])), _STATUS_BY_DECISION[decision])


class SearchIn(Schema):
    """The work whose copies are searched for."""

    work = text_field(1000, least=1, required=True, metadata={"description": "id of the work"})


@discoveries_blp.get("/discoveries/searches")
@discoveries_blp.response(200, record_schema(RequestedSearch)(many=True))
@discoveries_blp.scope(Right.READ)
def searches() -> list[RequestedSearch]:
    """The requested searches of the last 30 days, the newest first."""
    return requested_searches(services().product)


@discoveries_blp.post("/discoveries/searches")
@discoveries_blp.arguments(SearchIn)
@discoveries_blp.response(202, record_schema(RequestedSearch))
@discoveries_blp.scope(Right.CRAWL)
def search(body: dict[str, str]) -> RequestedSearch:
    """Have a search engine asked for copies of a work, in the background."""
    return request_search(current_actor(), body["work"])
