"""The watched websites, and what ran."""

from collections.abc import Mapping
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from crawler.fetch.header_profiles import PROFILES
from dashboard.frame import uploads
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.sites import site_form
from dashboard.sites.site_form import told
from services.crawls.steered_by_people import crawl as crawl_now
from services.sites import sites
from services.sites.imported_sites import ImportedSites
from services.sites.site_file import import_sites
from services.sites.site_settings import BOUNDS
from services.sites.site_standing import standings
from services.sites.sites_csv import export_csv
from services.sites.survey import survey_site
from store.errors import BadInput, Conflict, FetchRefused
from store.records import Layout, RunKind, Subject, SubjectKind
from store.rules.role_rights import Right

blueprint = Blueprint("sites", __name__, url_prefix="/sites")

_RUNS: Final = 50
_SHOWN: Final = 50  # sites of an import that are named
_BULK: Final = frozenset(("pause", "resume", "crawl", "set", "remove"))


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Sites with their next crawl, how far the present ones are, and the last runs of every kind."""
    return _page()


@blueprint.post("/")
@needs(Right.SITES)
def add() -> Response | tuple[str, int]:
    """Watch one more site."""
    try:
        site = sites.add(acting(), site_form.filled(), id=request.form.get("id", "").strip() or None)
    except (BadInput, Conflict) as error:
        return _page(refusal=told(error.message)), 400
    flash(t("sites.added", name=site.name))
    return redirect(url_for("sites.show"), 303)


@blueprint.post("/find")
@needs(Right.SITES)
def find() -> str | tuple[str, int]:
    """Fill the form in with what suits the site at an address."""
    try:
        internal = bool(request.form.get("internal"))
        form = survey_site(acting(), request.form.get("url", "").strip(), internal=internal).written()
    except (BadInput, FetchRefused) as error:
        return _page(refusal=told(error.message)), 400
    flash(t("sites.found"))
    return _page(form={**form, "urls": "\n".join(form["urls"].split()), "internal": "yes" if internal else ""})


@blueprint.post("/take")
@needs(Right.SITES)
def take() -> tuple[str, int]:
    """Watch the sites of a CSV file, or of book sources."""
    try:
        done = import_sites(acting(), b"".join(content for _, content in uploads.sent("file")))
    except BadInput as error:
        return _page(refusal=told(error.message)), 400
    return _page(taken=done), 200 if done.added or not done.refused else 400


@blueprint.post("/bulk")
@needs(Right.SITES)
def bulk() -> Response | tuple[str, int]:
    """Pause, resume, crawl, change or, if that is meant, remove the sites that are ticked, or all that are shown."""
    what, tag, setting = (request.form.get(name, "") for name in ("what", "tag", "setting"))
    if what not in _BULK or (what == "set" and setting not in site_form.TOGETHER):
        abort(400)
    if what == "remove" and not request.form.get("sure"):
        return _page(unsure=True), 400
    try:
        if what == "set":
            done = sites.edit_each(acting(), _chosen(tag), {setting: request.form.get("value", "")})
        else:
            done = sites.for_each(acting(), _chosen(tag), what)
    except BadInput as error:
        return _page(bulk_refusal=told(error.message)), 400
    flash(t("sites.bulk_done", count=len(done)))
    return redirect(url_for("sites.show", tag=None if what == "remove" else tag or None), 303)


@blueprint.post("/crawl")
@needs(Right.CRAWL)
def crawl() -> Response:
    """Crawl a site now."""
    site = services().store.sites.get(request.form.get("id", ""))
    try:
        crawl_now(acting(), Subject(SubjectKind.SITE, site.id))
    except Conflict:
        flash(t("sites.being_crawled", name=site.name))
    else:
        flash(t("sites.crawl_begun", name=site.name))
    return redirect(url_for("sites.show"), 303)


@blueprint.get("/sites.csv")
@needs(Right.READ)
def give() -> Response:
    """All sites with all that is set of them, to be taken in again."""
    return as_file("sites.csv", export_csv(acting(), request.args.get("tag")), "text/csv")


@blueprint.post("/remove")
@needs(Right.SITES)
def remove() -> Response:
    """Watch a site no longer; its pages and cases stay."""
    site = sites.remove(acting(), request.form.get("id", ""))
    flash(t("sites.removed", name=site.name))
    return redirect(url_for("sites.show"), 303)


def _chosen(tag: str) -> list[str]:
    """The sites that are ticked, or all that are shown."""
    if request.form.get("all"):
        return [site.id for site in sites.watched(services().product, tag)]
    return request.form.getlist("id")


def _page(
    refusal: str | None = None,
    form: Mapping[str, str] | None = None,
    taken: ImportedSites | None = None,
    bulk_refusal: str | None = None,
    *,
    unsure: bool = False,
) -> str:
    store = services().store
    there, tag = store.sites.all(), request.values.get("tag")
    shown = sites.watched(services().product, tag)
    return render_template(
        "sites/sites.html",
        sites=shown,
        standings=standings(services().product, shown),
        tags=sorted({tag for site in there for tag in site.tags}),
        tag=tag,
        names={site.id: site.name for site in there},
        going=store.runs.active(RunKind.CRAWL),
        runs=store.runs.recent(limit=_RUNS),
        layouts=list(Layout),
        profiles=list(PROFILES),
        bounds=BOUNDS,
        refusal=refusal,
        taken=None if taken is None else taken.added,
        refused=[(one.line, told(one.reason)) for one in taken.refused] if taken else [],
        shown=_SHOWN,
        bulk_refusal=bulk_refusal,
        unsure=unsure,
        ticked=request.form.getlist("id") if unsure or bulk_refusal else (),
        together=site_form.TOGETHER,
        form=request.form if form is None else form,
    )
