"""The watched sites, and what ran."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard import upkeep
from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.permissions import Right
from dashboard.services import services
from store.records import Run, RunKind, Site

blp = blueprint("sites", "The watched sites, and what ran")


class SiteIn(Schema):
    """A site to be watched."""

    urls = fields.List(words(2000, least=1), required=True, validate=validate.Length(1, 100))
    name = words(200, load_default=None, allow_none=True)
    every = fields.Float(load_default=24.0, validate=validate.Range(0.1, 8760), metadata={"description": "hours"})
    max_pages = fields.Integer(strict=True, load_default=1000, validate=validate.Range(1, 1_000_000))
    max_depth = fields.Integer(strict=True, load_default=5, validate=validate.Range(0, 50))


class RunsQuery(Schema):
    """Which runs."""

    kind = choice(RunKind)
    limit = fields.Integer(load_default=50, validate=validate.Range(1, 200))


@blp.get("/sites")
@blp.response(200, shown(Site)(many=True))
@scope(Right.READ)
def find() -> list[Site]:
    """All sites."""
    return services().store.sites.all()


@blp.post("/sites")
@blp.arguments(SiteIn)
@blp.response(201, shown(Site))
@scope(Right.SITES)
def add(given: dict[str, Any]) -> Site:
    """Watch one more site; its first crawl is due now."""
    return upkeep.add_site(**given)


@blp.get("/sites/<string:id>")
@blp.response(200, shown(Site))
@scope(Right.READ)
def get(id: str) -> Site:
    """One site."""
    return services().store.sites.get(id)


@blp.delete("/sites/<string:id>")
@blp.response(204)
@scope(Right.SITES)
def remove(id: str) -> None:
    """Watch a site no longer; its pages and cases stay."""
    upkeep.remove_site(id)


@blp.post("/sites/<string:id>/crawl")
@blp.response(202)
@scope(Right.CRAWL)
def crawl(id: str) -> None:
    """Crawl a site now."""
    upkeep.crawl(id)


@blp.get("/runs")
@blp.arguments(RunsQuery, location="query")
@blp.response(200, shown(Run)(many=True))
@scope(Right.READ)
def runs(query: dict[str, Any]) -> list[Run]:
    """The runs that started last, the newest first."""
    return services().store.runs.recent(kind=query.get("kind"), limit=query["limit"])


@blp.get("/runs/<string:id>")
@blp.response(200, shown(Run))
@scope(Right.READ)
def run(id: str) -> Run:
    """One run."""
    return services().store.runs.get(id)
