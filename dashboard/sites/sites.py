"""The watched websites, and what ran."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from crawler.fetch.header_profiles import PROFILES
from dashboard import site_upkeep, upkeep
from dashboard.actions import Refusal
from dashboard.frame import uploads
from dashboard.frame.context import services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs, require
from dashboard.sites import site_form
from dashboard.sites.site_refusals import told
from store.errors import BadInput, Conflict, FetchRefused
from store.records import Layout, RunKind, Site
from store.rules.rights import Right

blueprint = Blueprint("sites", __name__, url_prefix="/sites")

_RUNS: Final = 50
_BULK: Final = frozenset(("pause", "resume", "crawl", "set", "remove"))
_EVERY, _PAGES, _DEPTH = (0.1, 8_760.0), (1, 1_000_000), (0, 50)  # hours, pages a crawl, links from the start


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
        for name, bounds in (("every", _EVERY), ("max_pages", _PAGES), ("max_depth", _DEPTH)):
            _number(name, *bounds)
        site = site_upkeep.put_site(site_form.filled(), request.form.get("id", "").strip() or None)
    except (BadInput, Conflict) as error:
        return _page(refusal=told(error)), 400
    flash(t("sites.added", name=site.name))
    return redirect(url_for("sites.show"), 303)


@blueprint.post("/find")
@needs(Right.SITES)
def find() -> str | tuple[str, int]:
    """Fill the form in with what suits the site at an address."""
    try:
        internal = bool(request.form.get("internal"))
        form = site_upkeep.find_site(request.form.get("url", "").strip(), internal=internal)
    except (BadInput, FetchRefused) as error:
        return _page(refusal=told(error)), 400
    flash(t("sites.found"))
    return _page(form={**form, "urls": "\n".join(form["urls"].split()), "internal": "yes" if internal else ""})


@blueprint.post("/take")
@needs(Right.SITES)
def take() -> Response | tuple[str, int]:
    """Watch the sites of a CSV file."""
    try:
        added, refused = site_upkeep.import_sites(b"".join(content for _, content in uploads.sent("file")))
    except BadInput as error:
        return _page(refusal=told(error)), 400
    flash(t("sites.taken", count=len(added)))
    if refused:
        return _page(refused=[Refusal(one.what, told(one.reason)) for one in refused]), 400 if not added else 200
    return redirect(url_for("sites.show"), 303)


@blueprint.post("/bulk")
@needs(Right.SITES)
def bulk() -> Response | tuple[str, int]:
    """Pause, resume, crawl, change or, if that is meant, remove the sites that are ticked, or all that are shown."""
    what, tag, setting = (request.form.get(name, "") for name in ("what", "tag", "setting"))
    if what not in _BULK or (what == "set" and setting not in site_form.TOGETHER):
        abort(400)
    if what == "crawl":
        require(Right.CRAWL)
    if what == "remove" and not request.form.get("sure"):
        return _page(unsure=True), 400
    ids = [site.id for site in _shown(tag)] if request.form.get("all") else request.form.getlist("id")
    try:
        if what == "set":
            done = site_upkeep.edit_each(ids, {setting: request.form.get("value", "")})
        else:
            done = site_upkeep.for_each(ids, what)
    except BadInput as error:
        return _page(bulk_refusal=told(error)), 400
    flash(t("sites.bulk_done", count=len(done)))
    return redirect(url_for("sites.show", tag=None if what == "remove" else tag or None), 303)


@blueprint.post("/crawl")
@needs(Right.CRAWL)
def crawl() -> Response:
    """Crawl a site now."""
    site = services().store.sites.get(request.form.get("id", ""))
    try:
        upkeep.crawl(site.id)
    except Conflict:
        flash(t("sites.being_crawled", name=site.name))
    else:
        flash(t("sites.crawl_begun", name=site.name))
    return redirect(url_for("sites.show"), 303)


@blueprint.post("/remove")
@needs(Right.SITES)
def remove() -> Response:
    """Watch a site no longer; its pages and cases stay."""
    site = upkeep.remove_site(request.form.get("id", ""))
    flash(t("sites.removed", name=site.name))
    return redirect(url_for("sites.show"), 303)


def _shown(tag: str | None) -> list[Site]:
    return [site for site in services().store.sites.all() if not tag or tag in site.tags]


def _page(
    refusal: str | None = None,
    form: Mapping[str, str] | None = None,
    refused: Sequence[Refusal] = (),
    bulk_refusal: str | None = None,
    *,
    unsure: bool = False,
) -> str:
    store = services().store
    sites, tag = store.sites.all(), request.values.get("tag")
    return render_template(
        "sites.html",
        sites=_shown(tag),
        tags=sorted({tag for site in sites for tag in site.tags}),
        tag=tag,
        names={site.id: site.name for site in sites},
        going=store.runs.active(RunKind.CRAWL),
        runs=store.runs.recent(limit=_RUNS),
        layouts=list(Layout),
        profiles=list(PROFILES),
        refusal=refusal,
        refused=refused,
        bulk_refusal=bulk_refusal,
        unsure=unsure,
        ticked=request.form.getlist("id") if unsure or bulk_refusal else (),
        together=site_form.TOGETHER,
        form=request.form if form is None else form,
    )


def _number(name: str, least: float, most: float) -> float:
    """A figure of the form; BadInput when it is none, or out of bounds."""
    try:
        given = float(request.form.get(name, ""))
    except ValueError:
        given = math.nan
    if not least <= given <= most:
        raise BadInput(t("sites.out_of_bounds", what=t(f"sites.{name}"), least=f"{least:g}", most=f"{most:g}"))
    return given
