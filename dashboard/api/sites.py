"""The watched sites, and what ran."""

from typing import Any

from marshmallow import Schema, fields, validate

from dashboard import site_upkeep, upkeep
from dashboard.actions import Steer
from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import choice, shown, words
from dashboard.permissions import Right
from dashboard.services import services
from store.records import Layout, Run, RunKind, Site

blp = blueprint("sites", "The watched sites, and what ran")


class Settings(Schema):
    """How a site is gone through; what is not given stays as it is, or has its default."""

    urls = fields.List(words(2000, least=1), validate=validate.Length(1, 100))
    name = words(200)
    hosts = fields.List(words(300, least=1), validate=validate.Length(max=200))
    layout = choice(Layout)
    every = fields.Float(validate=validate.Range(0.1, 8760), metadata={"description": "hours"})
    cron = words(100, metadata={"description": "minute hour day month weekday, Asia/Shanghai; empty: by `every`"})
    quiet = words(20, metadata={"description": "HH:MM-HH:MM, Asia/Shanghai, when nothing is fetched"})
    include = fields.List(words(500, least=1), validate=validate.Length(max=200))
    exclude = fields.List(  # type: ignore[assignment]  # the metaclass takes fields out: Schema keeps its own `exclude`
        words(500, least=1), validate=validate.Length(max=200)
    )
    max_pages = fields.Integer(strict=True, validate=validate.Range(1, 1_000_000))
    max_depth = fields.Integer(strict=True, validate=validate.Range(0, 50))
    delay = fields.Float(allow_none=True, validate=validate.Range(0, 3600), metadata={"description": "seconds"})
    concurrency = fields.Integer(strict=True, allow_none=True, validate=validate.Range(1, 64))
    kind = words(60)
    tags = fields.List(words(100, least=1), validate=validate.Length(max=100))
    notes = words(5000)
    render = fields.Boolean(truthy={True}, falsy={False})
    paused = fields.Boolean(truthy={True}, falsy={False})


class SiteIn(Settings):
    """A site to be watched."""

    urls = fields.List(words(2000, least=1), required=True, validate=validate.Length(1, 100))


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
    return site_upkeep.put_site(_written(given))


@blp.get("/sites/<string:id>")
@blp.response(200, shown(Site))
@scope(Right.READ)
def get(id: str) -> Site:
    """One site."""
    return services().store.sites.get(id)


@blp.patch("/sites/<string:id>")
@blp.arguments(Settings)
@blp.response(200, shown(Site))
@scope(Right.SITES)
def change(given: dict[str, Any], id: str) -> Site:
    """Change some of its settings; a paused one is not crawled when due."""
    return site_upkeep.edit_site(id, _written(given))


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


@blp.post("/runs/<string:id>/<any(pause, resume, stop):to>")
@blp.response(202)
@scope(Right.CRAWL)
def steer(id: str, to: Steer) -> None:
    """Pause, resume or stop a crawl."""
    site_upkeep.steer_run(id, to)


def _written(given: dict[str, Any]) -> dict[str, str]:
    """The settings as a form has them, which are read in one place."""
    return {name: _as_text(value) for name, value in given.items()}


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
