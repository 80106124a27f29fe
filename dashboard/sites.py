"""The watched websites, and what ran."""

import math
from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard import upkeep
from dashboard.language import t
from dashboard.permissions import Right, needs
from dashboard.services import services
from store.errors import BadInput, Conflict

blueprint = Blueprint("sites", __name__, url_prefix="/sites")

_RUNS: Final = 50
_NAME_LENGTH: Final = 200
_EVERY, _PAGES, _DEPTH = (0.1, 8_760.0), (1, 1_000_000), (0, 50)  # hours, pages a crawl, links from the start


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Sites with their next crawl, and the last runs of every kind."""
    return _page()


@blueprint.post("/")
@needs(Right.SITES)
def add() -> Response | tuple[str, int]:
    """Watch one more site."""
    try:
        site = upkeep.add_site(
            request.form.get("urls", "").split(),
            name=request.form.get("name", "").strip()[:_NAME_LENGTH] or None,
            every=_number("every", *_EVERY),
            max_pages=int(_number("max_pages", *_PAGES)),
            max_depth=int(_number("max_depth", *_DEPTH)),
        )
    except (BadInput, Conflict) as error:
        return _page(refusal=str(error)), 400
    flash(t("sites.added", name=site.name))
    return redirect(url_for("sites.show"), 303)


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


def _page(refusal: str | None = None) -> str:
    store = services().store
    sites = store.sites.all()
    return render_template(
        "sites.html",
        sites=sites,
        names={site.id: site.name for site in sites},
        runs=store.runs.recent(limit=_RUNS),
        refusal=refusal,
        form=request.form,
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
