"""Crawls and other long tasks: what ran, what a crawl missed and has still to fetch; paused, resumed and stopped."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard.api.blueprint import scope
from dashboard.api.schemas import choice, shown, words
from dashboard.api.sites.sites import blp
from dashboard.frame.context import acting, services
from services.crawls import steered_by_people
from services.crawls.missed_addresses import missed_by
from services.crawls.waiting_addresses import LONGEST as LONGEST_PATTERN
from services.crawls.waiting_addresses import SHOWN, Waiting, drop, waiting
from store.records import Problem, Run, RunKind, Subject
from store.rules.role_rights import Right


class RunsQuery(Schema):
    """Which runs."""

    kind = choice(RunKind)
    subject = words(300, metadata={"description": "the id of a site"})
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


class WaitingQuery(Schema):
    """Which addresses that wait."""

    pattern = words(LONGEST_PATTERN, load_default="", metadata={"description": "as a site's include and exclude"})
    limit = fields.Integer(load_default=SHOWN, validate=validate.Range(1, 10_000))


class DropIn(Schema):
    """What is not to be fetched."""

    pattern = words(LONGEST_PATTERN, least=1, required=True)


class DroppedAddresses(Schema):
    """How many addresses will not be fetched."""

    count = fields.Integer(required=True)


@blp.get("/runs")
@blp.arguments(RunsQuery, location="query")
@blp.response(200, shown(Run)(many=True))
@scope(Right.READ, part="sites")
def runs(query: dict[str, Any]) -> list[Run]:
    """The runs that started last, the newest first."""
    subject = Subject.read(query["subject"]) if "subject" in query else None
    return services().store.runs.recent(kind=query.get("kind"), subject=subject, limit=query["limit"])


@blp.get("/runs/<string:id>")
@blp.response(200, shown(Run))
@scope(Right.READ, part="sites")
def run(id: str) -> Run:
    """One run."""
    return services().store.runs.get(id)


@blp.get("/runs/<string:id>/missed")
@blp.response(200, shown(Problem)(many=True))
@scope(Right.READ, part="sites")
def missed(id: str) -> list[Problem]:
    """The addresses of a run that gave nothing, by reason, the most frequent first."""
    run = services().store.runs.get(id)
    return [one for those in missed_by(services().store, run.id).values() for one in those]


@blp.get("/runs/<string:id>/waiting")
@blp.arguments(WaitingQuery, location="query")
@blp.response(200, shown(Waiting))
@scope(Right.READ, part="sites")
def look_at_waiting(query: dict[str, Any], id: str) -> Waiting:
    """What a crawl has still to fetch: how many addresses, and the first of them."""
    return waiting(services().product, id, query["pattern"], query["limit"])


@blp.post("/runs/<string:id>/drop")
@blp.arguments(DropIn)
@blp.response(200, DroppedAddresses)
@scope(Right.CRAWL, part="sites")
def drop_waiting(given: dict[str, str], id: str) -> dict[str, int]:
    """Drop what waits in a crawl and fits a pattern; its next run finds it again."""
    return {"count": drop(acting(), id, given["pattern"])}


@blp.post("/runs/<string:id>/<any(pause, resume, stop):to>")
@blp.response(202)
@scope(Right.CRAWL, part="sites")
def steer(id: str, to: str) -> None:
    """Pause, resume or stop a crawl."""
    steered_by_people.STEERS[to](acting(), id)
