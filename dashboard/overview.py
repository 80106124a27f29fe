"""The first screen: how many suspects wait, who copies most, what ran last."""

from flask import Blueprint, render_template

from dashboard.services import services
from store.records import CaseStatus

blueprint = Blueprint("overview", __name__)

_TOP = 8
_NEWEST = 6


@blueprint.get("/")
def show() -> str:
    """Counts, rankings, the newest suspects and the last runs."""
    store = services().store
    sites = store.sites.all()
    return render_template(
        "overview.html",
        statuses={status: store.cases.count(status=status) for status in CaseStatus},
        works=store.works.count(),
        pages=store.pages.count(),
        problems=store.problems.count(),
        top_works=store.cases.top("work_title", _TOP),
        top_hosts=store.cases.top("page_host", _TOP),
        newest=store.cases.find(status=CaseStatus.LEAD, limit=_NEWEST),
        runs=store.runs.recent(limit=_NEWEST),
        next_crawl=min((site.due for site in sites), default=None),
        names={site.id: site.name for site in sites},
    )
