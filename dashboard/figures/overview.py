"""The first screen: what waits today, how the cases went, how alike the copies are, who copies most, what ran last."""

from datetime import date, timedelta

from flask import Blueprint, render_template

from dashboard.figures import charts
from dashboard.frame.calibrated import measured_thresholds
from dashboard.frame.context import services
from dashboard.frame.permissions import needs
from dashboard.frame.statuses import worth_showing
from services.analysis import BINS, last_days
from services.cases.removed_works import removed_works
from services.upkeep import clock
from store.ports import Store
from store.records import CaseStatus, RunKind, Scope
from store.rules.cases.chart_periods import filled
from store.rules.china_time import beginning, day_of
from store.rules.rights import Right

blueprint = Blueprint("overview", __name__)

_TOP = 8
_NEWEST = 6
_DAYS = 30


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Counts, charts, rankings, the newest suspects and the last runs."""
    store = services().store
    today = day_of(services().clock())
    sites = store.sites.all()
    newest = store.cases.find(status=CaseStatus.LEAD, limit=_NEWEST)
    return render_template(
        "figures/overview.html",
        alarm=clock.alarm(services().product),
        statuses=worth_showing(dict.fromkeys(CaseStatus, 0) | store.cases.count_by_status()),
        today=today,
        opened_today=store.cases.count(since=beginning(today)),
        vanished=store.cases.count(removal=True),
        returned=store.cases.count(returned=True),
        works=store.works.count(),
        pages=store.pages.counted(),
        problems=store.problems.count(to_do=True),
        over_time=_over_time(store, today),
        since=today - timedelta(days=_DAYS - 1),
        histogram=store.figures.shares_of_page(CaseStatus.LEAD, BINS),
        thresholds=measured_thresholds(),
        certain=store.cases.count(status=CaseStatus.LEAD, score_from=services().product.settings.matcher.certain_score),
        top_works=store.figures.works(Scope(), _TOP),
        top_hosts=store.figures.hosts(_TOP),
        newest=newest,
        removed=removed_works(services().product, newest),
        runs=store.runs.recent(limit=_NEWEST),
        last_crawl=next(iter(store.runs.recent(kind=RunKind.CRAWL, limit=1)), None),
        next_crawl=min((site.due for site in sites), default=None),
        names={site.id: site.name for site in sites},
    )


def _over_time(store: Store, today: date) -> charts.Columns:
    question = last_days(today, _DAYS)
    periods = filled(
        store.figures.over_time(question.scope, question.pace), question.pace, question.first, question.last
    )
    rows = [(f"{one.start:%m-%d}", {status.value: count for status, count in one.cases.items()}) for one in periods]
    return charts.stacked(rows, [status.value for status in CaseStatus])
