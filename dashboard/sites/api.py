"""Serve the API of the watched sites: settings, import, dossiers and crawls."""

from collections.abc import Mapping

from flask import Response
from marshmallow import Schema, fields, validate

from dashboard.frame.api import (
    FILE_SCHEMA,
    ApiBlueprint,
    FileField,
    JsonObject,
    UploadedFile,
    choice_field,
    record_schema,
    text_field,
)
from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import OCTET_STREAM_TYPE, file_response
from wenhen.analysis.model import SiteTaking
from wenhen.crawls.model import Run
from wenhen.crawls.reading_audit import ReadingAudit, last_audit
from wenhen.crawls.service import begin_crawl, remove_site, try_site
from wenhen.dossiers.service import Dossier, make_dossier
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.kit.rights import Right
from wenhen.sites.import_export import ImportedSites, export_sites_csv, import_sites
from wenhen.sites.model import Layout, Registration, Site
from wenhen.sites.registrations import load_registration_file, query_registrations
from wenhen.sites.service import add_site, edit_site, find_watched_sites, survey_site
from wenhen.sites.site_settings import MAX_SETTING_CHARACTERS, SETTING_BOUNDS

sites_blp = ApiBlueprint("sites", "The watched sites, and what ran")

_taken_schema = record_schema(
    SiteTaking, computed=("copies", "confirmed", "confirmed_works", "characters", "confirmed_characters")
)
DossierOut = record_schema(
    Dossier,
    computed=("pay", "confirmed_pay", "repeats"),  # pay in yuan
    also={"taken": fields.Nested(_taken_schema, required=True)},
)


class SiteSettings(Schema):
    """The crawl settings of a site. A missing setting keeps its value, or takes its default."""

    urls = fields.List(text_field(2000, least=1), validate=validate.Length(1, 100))
    name = text_field(MAX_SETTING_CHARACTERS["name"])
    hosts = fields.List(text_field(300, least=1), validate=validate.Length(max=200))
    layout = choice_field(Layout)
    every = fields.Float(validate=validate.Range(*SETTING_BOUNDS["every"]), metadata={"description": "hours"})
    cron = text_field(100, metadata={"description": "minute hour day month weekday, Asia/Shanghai; empty: by `every`"})
    quiet = text_field(20, metadata={"description": "HH:MM-HH:MM, Asia/Shanghai, when nothing is fetched"})
    include = fields.List(text_field(500, least=1), validate=validate.Length(max=200))
    exclude = fields.List(  # type: ignore[assignment]  # the metaclass takes fields out: Schema keeps its own `exclude`
        text_field(500, least=1), validate=validate.Length(max=200)
    )
    max_pages = fields.Integer(strict=True, validate=validate.Range(*SETTING_BOUNDS["max_pages"]))
    max_depth = fields.Integer(strict=True, validate=validate.Range(*SETTING_BOUNDS["max_depth"]))
    delay = fields.Float(
        allow_none=True, validate=validate.Range(*SETTING_BOUNDS["delay"]), metadata={"description": "seconds"}
    )
    concurrency = fields.Integer(strict=True, allow_none=True, validate=validate.Range(*SETTING_BOUNDS["concurrency"]))
    kind = text_field(MAX_SETTING_CHARACTERS["kind"])
    headers = text_field(30, metadata={"description": "default, traditional, compatible or mobile"})
    text_at = text_field(
        MAX_SETTING_CHARACTERS["text_at"], metadata={"description": "a CSS selector of the text of its pages"}
    )
    spider = text_field(
        MAX_SETTING_CHARACTERS["spider"],
        metadata={"description": "module:Class of a Scrapy spider of your own: needs `access`"},
    )
    mirrors = fields.List(text_field(300, least=1), validate=validate.Length(max=200))
    tags = fields.List(text_field(100, least=1), validate=validate.Length(max=100))
    notes = text_field(MAX_SETTING_CHARACTERS["notes"])
    render = fields.Boolean(truthy={True}, falsy={False})
    paused = fields.Boolean(truthy={True}, falsy={False})
    internal = fields.Boolean(
        truthy={True}, falsy={False}, metadata={"description": "may be at a private address: needs `access`"}
    )


class SiteIn(SiteSettings):
    """A site to watch."""

    id = text_field(200, least=1, metadata={"description": "without one, the first host"})
    urls = fields.List(text_field(2000, least=1), required=True, validate=validate.Length(1, 100))


class SitesQuery(Schema):
    """The conditions of the sites to list."""

    tag = text_field(100)


class FindIn(Schema):
    """The address of a site to survey."""

    url = text_field(2000, least=1, required=True)
    internal = fields.Boolean(truthy={True}, falsy={False}, load_default=False)


class Suggested(Schema):
    """Suggested settings for a site."""

    urls = fields.List(fields.String(), required=True)
    name = fields.String(required=True)
    layout = choice_field(Layout, required=True)


class SitesFile(Schema):
    """A file in the format of `wenhen sites import`."""

    file = FileField(required=True)


class RefusedLineSchema(Schema):
    """A line that was refused, and the reason."""

    what = fields.String(required=True, attribute="line")
    row = fields.Integer(
        required=True, allow_none=True, metadata={"description": "in a spreadsheet, if cells with line breaks move it"}
    )
    reason = fields.String(required=True)


class MissedAddress(Schema):
    """An address that gave no page, and the reason."""

    what = fields.String(required=True)
    reason = fields.String(required=True)


class TriedSite(Schema):
    """The addresses that a crawl would request in order, those that gave a page, and those that gave none."""

    asked = fields.List(fields.String(), required=True)
    pages = fields.List(fields.String(), required=True)
    missed = fields.List(fields.Nested(MissedAddress), required=True)


TakenSites = record_schema(
    ImportedSites,
    also={"refused": fields.List(fields.Nested(RefusedLineSchema), required=True)},
    name="TakenSites",
)


@sites_blp.get("/sites")
@sites_blp.arguments(SitesQuery, location="query")
@sites_blp.response(200, record_schema(Site)(many=True))
@sites_blp.scope(Right.READ)
def find(query: dict[str, str]) -> list[Site]:
    """All sites, or those with a tag."""
    return find_watched_sites(services().product, query.get("tag"))


@sites_blp.post("/sites")
@sites_blp.arguments(SiteIn)
@sites_blp.response(201, record_schema(Site))
@sites_blp.scope(Right.SITES)
def add(body: JsonObject) -> Site:
    """Watch one more site; its first crawl is due now."""
    id = body.pop("id", None)
    return add_site(current_actor(), _settings_as_form(body), id=id)


@sites_blp.post("/sites/find")
@sites_blp.arguments(FindIn)
@sites_blp.response(200, Suggested)
@sites_blp.scope(Right.SITES)
def suggest(body: JsonObject) -> Mapping[str, object]:
    """Look how a site is best gone through: by its sitemaps, its feeds, or its links."""
    survey = survey_site(current_actor(), body["url"], internal=body["internal"])
    return {"urls": survey.start_urls, "name": survey.name, "layout": survey.layout}


@sites_blp.get("/sites/export")
@sites_blp.arguments(SitesQuery, location="query")
@sites_blp.response(200, {"type": "string"}, content_type="text/csv")
@sites_blp.scope(Right.READ)
def give(query: dict[str, str]) -> Response:
    """All sites, or those with a tag, as a CSV file with all that is set of them; sessions are left out."""
    return Response(export_sites_csv(current_actor(), query.get("tag")), mimetype="text/csv")


@sites_blp.post("/sites/import")
@sites_blp.arguments(SitesFile, location="files")
@sites_blp.response(200, TakenSites)
@sites_blp.scope(Right.SITES)
def take(files: dict[str, UploadedFile]) -> ImportedSites:
    """Watch the sites of a CSV file, or of a JSON file of book sources; what cannot be used is listed with its reason,
    and the rest is taken.
    """
    return import_sites(current_actor(), files["file"][1])


@sites_blp.get("/sites/<string:id>")
@sites_blp.response(200, record_schema(Site))
@sites_blp.scope(Right.READ)
def get(id: str) -> Site:
    """One site."""
    return services().store.sites.get(id)


@sites_blp.get("/sites/<string:id>/dossier")
@sites_blp.response(200, DossierOut)
@sites_blp.scope(Right.READ)
def show_dossier(id: str) -> Dossier:
    """Who runs a site as its pages say (unverified), where it is served from, what it took, how it met notices."""
    return make_dossier(services().product, id)


@sites_blp.post("/sites/<string:id>/registration")
@sites_blp.response(200, record_schema(Registration)(many=True))
@sites_blp.scope(Right.PROCEED)
def look_up(id: str) -> list[Registration]:
    """Ask by RDAP who registered a site's domains, where `dossier.rdap` allows it; the dossier keeps every answer."""
    return query_registrations(current_actor(), id)


@sites_blp.get("/sites/registrations/<string:id>")
@sites_blp.response(200, FILE_SCHEMA, content_type=OCTET_STREAM_TYPE)
@sites_blp.scope(Right.READ)
def registration_file(id: str) -> Response:
    """An answer of a registry as it came."""
    return file_response(*load_registration_file(services().product, id))


@sites_blp.get("/sites/<string:id>/reading")
@sites_blp.response(200, record_schema(ReadingAudit, computed=("share",)))
@sites_blp.scope(Right.READ)
def show_reading(id: str) -> ReadingAudit:
    """How much of what some of a site's pages show was read when somebody looked last (`wenhen sites audit`)."""
    audit = last_audit(services().product, services().store.sites.get(id).id)
    if audit is None:
        raise NotFound("sites.not_audited", id=id)
    return audit


@sites_blp.patch("/sites/<string:id>")
@sites_blp.arguments(SiteSettings)
@sites_blp.response(200, record_schema(Site))
@sites_blp.scope(Right.SITES)
def change(body: JsonObject, id: str) -> Site:
    """Change some of its settings; a paused one is not crawled when due."""
    return edit_site(current_actor(), id, _settings_as_form(body))


@sites_blp.delete("/sites/<string:id>")
@sites_blp.response(204)
@sites_blp.scope(Right.SITES)
def remove(id: str) -> None:
    """Watch a site no longer; its pages and cases stay."""
    remove_site(current_actor(), id)


@sites_blp.post("/sites/<string:id>/try")
@sites_blp.response(200, TriedSite)
@sites_blp.scope(Right.SITES)
def try_out(id: str) -> JsonObject:
    """Try out what a crawl of a site would ask for: twenty pages are fetched for their links, none is stored."""
    tried = try_site(current_actor(), id)
    return tried._asdict() | {"missed": [{"what": url, "reason": why} for url, why in tried.missed]}


@sites_blp.post("/sites/<string:id>/crawl")
@sites_blp.response(202, record_schema(Run))
@sites_blp.scope(Right.CRAWL)
def crawl(id: str) -> Run:
    """Crawl a site now; the run is over when it has an `ended_at`."""
    return begin_crawl(current_actor(), Subject(SubjectKind.SITE, id))


def _settings_as_form(settings: JsonObject) -> dict[str, str]:
    """Return the settings as form fields, so that one parser reads both."""
    return {name: _setting_text(value) for name, value in settings.items()}


def _setting_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)
