"""The first screen: what waits today, how the cases went, how alike the copies are, who copies most, what ran last."""

from collections.abc import Sequence

from flask import Blueprint, render_template

from dashboard.figures import charts
from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from dashboard.frame.statuses import worth_showing
from services.overview import overview
from store.records import CaseStatus, Period
from store.rules.role_rights import Right

blueprint = Blueprint("overview", __name__)


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Counts, charts, rankings, the newest suspects and the last runs."""
    figures = overview(services().product)
    periods, sites = figures.charts.periods, figures.upkeep.sites
    return render_template(
        "figures/overview.html",
        figures=figures,
        removed=figures.newest.removed,
        statuses=worth_showing(dict.fromkeys(CaseStatus, 0) | dict(figures.counts.by_status)),
        over_time=_over_time(periods),
        since=periods[0].start,
        next_crawl=min((site.due for site in sites), default=None),
        names={site.id: site.name for site in sites},
    )


def _over_time(periods: Sequence[Period]) -> charts.Columns:
    rows = [(f"{one.start:%m-%d}", {status.value: count for status, count in one.cases.items()}) for one in periods]
    return charts.stacked(rows, [status.value for status in CaseStatus])
