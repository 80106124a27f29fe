"""The watched sites."""

from collections.abc import Mapping
from typing import Any, Final

from flask_smorest.fields import Upload
from marshmallow import Schema, fields, validate
from werkzeug.datastructures import FileStorage
from werkzeug.wrappers import Response

from dashboard.api.blueprint import blueprint, scope
from dashboard.api.schemas import FILE, choice, shown, words
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import BYTES, as_file
from services.crawls import steered_by_people
from services.sites import sites
from services.sites.dossier import Dossier, dossier
from services.sites.dry_run import try_site
from services.sites.imported_sites import ImportedSites
from services.sites.rdap import site_domains
from services.sites.reading_audit import ReadingAudit, last_audit
from services.sites.site_file import import_sites
from services.sites.site_settings import BOUNDS, LONGEST
from services.sites.sites_csv import export_csv
from services.sites.survey import survey_site
from store.errors import NotFound
from store.records import Layout, Registration, Run, Site, SiteTaking, Subject, SubjectKind
from store.rules.role_rights import Right

blp = blueprint("sites", "The watched sites, and what ran")
_SUMS: Final[dict[str, fields.Field[Any]]] = {
    name: fields.Integer(required=True)
    for name in ("copies", "confirmed", "confirmed_works", "characters", "confirmed_characters")
}
_RECKONED: Final[dict[str, fields.Field[Any]]] = {  # of a dossier; pay in yuan
    "taken": fields.Nested(shown(SiteTaking, also=_SUMS), required=True),
    "pay": fields.Float(required=True),
    "confirmed_pay": fields.Float(required=True),
    "repeats": fields.Boolean(required=True),
}
_AUDITED: Final[dict[str, fields.Field[Any]]] = {"share": fields.Float(required=True, allow_none=True)}  # 0 to 1


class SiteSettings(Schema):
    """How a site is gone through; what is not given stays as it is, or has its default."""

    urls = fields.List(words(2000, least=1), validate=validate.Length(1, 100))
    name = words(LONGEST["name"])
    hosts = fields.List(words(300, least=1), validate=validate.Length(max=200))
    layout = choice(Layout)
    every = fields.Float(validate=validate.Range(*BOUNDS["every"]), metadata={"description": "hours"})
    cron = words(100, metadata={"description": "minute hour day month weekday, Asia/Shanghai; empty: by `every`"})
    quiet = words(20, metadata={"description": "HH:MM-HH:MM, Asia/Shanghai, when nothing is fetched"})
    include = fields.List(words(500, least=1), validate=validate.Length(max=200))
    exclude = fields.List(  # type: ignore[assignment]  # the metaclass takes fields out: Schema keeps its own `exclude`
        words(500, least=1), validate=validate.Length(max=200)
    )
    max_pages = fields.Integer(strict=True, validate=validate.Range(*BOUNDS["max_pages"]))
    max_depth = fields.Integer(strict=True, validate=validate.Range(*BOUNDS["max_depth"]))
    delay = fields.Float(
        allow_none=True, validate=validate.Range(*BOUNDS["delay"]), metadata={"description": "seconds"}
    )
    concurrency = fields.Integer(strict=True, allow_none=True, validate=validate.Range(*BOUNDS["concurrency"]))
    kind = words(LONGEST["kind"])
    headers = words(30, metadata={"description": "default, traditional, compatible or mobile"})
    text_at = words(LONGEST["text_at"], metadata={"description": "a CSS selector of the text of its pages"})
    mirrors = fields.List(words(300, least=1), validate=validate.Length(max=200))
    tags = fields.List(words(100, least=1), validate=validate.Length(max=100))
    notes = words(LONGEST["notes"])
    render = fields.Boolean(truthy={True}, falsy={False})
    paused = fields.Boolean(truthy={True}, falsy={False})
    internal = fields.Boolean(
        truthy={True}, falsy={False}, metadata={"description": "may be at a private address: needs `access`"}
    )


class SiteIn(SiteSettings):
    """A site to be watched."""

    id = words(200, least=1, metadata={"description": "without one, the first host"})
    urls = fields.List(words(2000, least=1), required=True, validate=validate.Length(1, 100))


class SitesQuery(Schema):
    """Which sites."""

    tag = words(100)


class FindIn(Schema):
    """A site to be looked at."""

    url = words(2000, least=1, required=True)
    internal = fields.Boolean(truthy={True}, falsy={False}, load_default=False)


class Suggested(Schema):
    """Settings that suit a site."""

    urls = fields.List(fields.String(), required=True)
    name = fields.String(required=True)
    layout = choice(Layout, required=True)


class SitesFile(Schema):
    """A file as `wenhen sites import` takes it."""

    file = Upload(required=True)


class RefusedLineSchema(Schema):
    """A line that was not taken, and why."""

    what = fields.String(required=True, attribute="line")
    reason = fields.String(required=True)


class MissedAddress(Schema):
    """An address that gave no page, and why."""

    what = fields.String(required=True)
    reason = fields.String(required=True)


class TriedSite(Schema):
    """What a crawl would ask for, in its order; of that, what gave a page, and what gave none."""

    asked = fields.List(fields.String(), required=True)
    pages = fields.List(fields.String(), required=True)
    missed = fields.List(fields.Nested(MissedAddress), required=True)


class TakenSites(Schema):
    """What an import did."""

    added = fields.List(fields.Nested(shown(Site)), required=True)
    refused = fields.List(fields.Nested(RefusedLineSchema), required=True)


@blp.get("/sites")
@blp.arguments(SitesQuery, location="query")
@blp.response(200, shown(Site)(many=True))
@scope(Right.READ, part="sites")
def find(query: dict[str, str]) -> list[Site]:
    """All sites, or those with a tag."""
    return sites.watched(services().product, query.get("tag"))


@blp.post("/sites")
@blp.arguments(SiteIn)
@blp.response(201, shown(Site))
@scope(Right.SITES, part="sites")
def add(given: dict[str, Any]) -> Site:
    """Watch one more site; its first crawl is due now."""
    id = given.pop("id", None)
    return sites.add(acting(), _written(given), id=id)


@blp.post("/sites/find")
@blp.arguments(FindIn)
@blp.response(200, Suggested)
@scope(Right.SITES, part="sites")
def suggest(given: dict[str, Any]) -> Mapping[str, object]:
    """Look how a site is best gone through: by its sitemaps, its feeds, or its links."""
    found = survey_site(acting(), given["url"], internal=given["internal"])
    return {"urls": found.start_urls, "name": found.name, "layout": found.layout}


@blp.get("/sites/export")
@blp.arguments(SitesQuery, location="query")
@blp.response(200, {"type": "string"}, content_type="text/csv")
@scope(Right.READ, part="sites")
def give(query: dict[str, str]) -> Response:
    """All sites, or those with a tag, as a CSV file with all that is set of them; sessions are left out."""
    return Response(export_csv(acting(), query.get("tag")), mimetype="text/csv")


@blp.post("/sites/import")
@blp.arguments(SitesFile, location="files")
@blp.response(200, TakenSites)
@scope(Right.SITES, part="sites")
def take(files: dict[str, FileStorage]) -> ImportedSites:
    """Watch the sites of a CSV file, or of a JSON file of book sources; what cannot be used is listed with its reason,
    and the rest is taken.
    """
    return import_sites(acting(), files["file"].read())


@blp.get("/sites/<string:id>")
@blp.response(200, shown(Site))
@scope(Right.READ, part="sites")
def get(id: str) -> Site:
    """One site."""
    return services().store.sites.get(id)


@blp.get("/sites/<string:id>/dossier")
@blp.response(200, shown(Dossier, also=_RECKONED))
@scope(Right.READ, part="sites")
def show_dossier(id: str) -> Dossier:
    """Who runs a site as its pages say (unverified), where it is served from, what it took, how it met notices."""
    return dossier(services().product, id)


@blp.post("/sites/<string:id>/registration")
@blp.response(200, shown(Registration)(many=True))
@scope(Right.PROCEED, part="sites")
def look_up(id: str) -> list[Registration]:
    """Ask by RDAP who registered a site's domains, where `dossier.rdap` allows it; the dossier keeps every answer."""
    return site_domains.look_up(acting(), id)


@blp.get("/sites/registrations/<string:id>")
@blp.response(200, FILE, content_type=BYTES)
@scope(Right.READ, part="sites")
def registration_file(id: str) -> Response:
    """An answer of a registry as it came."""
    return as_file(*site_domains.file_of(services().product, id))


@blp.get("/sites/<string:id>/reading")
@blp.response(200, shown(ReadingAudit, also=_AUDITED))
@scope(Right.READ, part="sites")
def show_reading(id: str) -> ReadingAudit:
    """How much of what some of a site's pages show was read when somebody looked last (`wenhen sites audit`)."""
    found = last_audit(services().product, services().store.sites.get(id).id)
    if found is None:
        raise NotFound("sites.not_audited", id=id)
    return found


@blp.patch("/sites/<string:id>")
@blp.arguments(SiteSettings)
@blp.response(200, shown(Site))
@scope(Right.SITES, part="sites")
def change(given: dict[str, Any], id: str) -> Site:
    """Change some of its settings; a paused one is not crawled when due."""
    return sites.edit(acting(), id, _written(given))


@blp.delete("/sites/<string:id>")
@blp.response(204)
@scope(Right.SITES, part="sites")
def remove(id: str) -> None:
    """Watch a site no longer; its pages and cases stay."""
    sites.remove(acting(), id)


@blp.post("/sites/<string:id>/try")
@blp.response(200, TriedSite)
@scope(Right.SITES, part="sites")
def try_out(id: str) -> dict[str, Any]:
    """Try out what a crawl of a site would ask for: twenty pages are fetched for their links, none is stored."""
    tried = try_site(acting(), id)
    return tried._asdict() | {"missed": [{"what": url, "reason": why} for url, why in tried.missed]}


@blp.post("/sites/<string:id>/crawl")
@blp.response(202, shown(Run))
@scope(Right.CRAWL, part="sites")
def crawl(id: str) -> Run:
    """Crawl a site now; the run is over when it has an `ended_at`."""
    return steered_by_people.crawl(acting(), Subject(SubjectKind.SITE, id))


def _written(given: dict[str, Any]) -> dict[str, str]:
    """The settings as a form has them, which are read in one place."""
    return {name: _as_text(value) for name, value in given.items()}


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
