"""The watched websites, and what ran."""

from flask import Blueprint, render_template

from dashboard.services import services

blueprint = Blueprint("sites", __name__, url_prefix="/sites")

_RUNS = 50


@blueprint.get("/")
def show() -> str:
    """Sites with their next crawl, and the last runs of every kind."""
    store = services().store
    sites = store.sites.all()
    return render_template(
        "sites.html", sites=sites, names={site.id: site.name for site in sites}, runs=store.runs.recent(limit=_RUNS)
    )
