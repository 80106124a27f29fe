"""Have a search engine asked for copies of a work, and review the addresses that it found."""

from typing import Final

from flask import Blueprint, Response, render_template, request

from dashboard.frame.context import current_actor, language, services, shows_refusal, t
from dashboard.frame.requests import redirect_to
from dashboard.frame.security import needs
from wenhen.discovery.model import DiscoveryStatus
from wenhen.discovery.service import decide_discoveries, request_search, requested_searches
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.rights import Right
from wenhen.works.service import find_named_work

discoveries_blueprint = Blueprint("discoveries", __name__, url_prefix="/discoveries")

_MAX_ADDRESSES_SHOWN: Final = 200
_MAX_SEARCHES_SHOWN: Final = 20
_MAX_WORK_CHARACTERS: Final = 1000


@discoveries_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the addresses with the requested status, by default those that wait for a decision."""
    return _render_list(_status_argument(request.args.get("status") or DiscoveryStatus.PENDING))


def _render_list(status: DiscoveryStatus, *, refusal: str | None = None) -> str:
    store, product = services().store, services().product
    searches = requested_searches(product)[:_MAX_SEARCHES_SHOWN]
    discoveries = store.discoveries.find(status=status, limit=_MAX_ADDRESSES_SHOWN)
    ids = {discovery.work_id for discovery in discoveries} | {search.work_id for search in searches}
    works = store.works.many(ids)
    return render_template(
        "sites/discoveries.html",
        found=discoveries,
        works=works,
        status=status,
        statuses=list(DiscoveryStatus),
        most=_MAX_ADDRESSES_SHOWN,
        searches=searches,
        can_ask=product.settings.discover.can_ask,
        refusal=refusal,
    )


@discoveries_blueprint.post("/searches")
@needs(Right.CRAWL)
@shows_refusal(lambda refusal: _render_list(DiscoveryStatus.PENDING, refusal=refusal.text(language())), NotFound)
def search() -> Response:
    """Have a worker search for copies of a work."""
    work = find_named_work(services().product, request.form.get("work", "").strip()[:_MAX_WORK_CHARACTERS])
    request_search(current_actor(), work.id)
    return redirect_to("discoveries.show", t("discoveries.search_asked", title=work.title))


@discoveries_blueprint.post("/")
@needs(Right.CRAWL)
def decide() -> Response:
    """Let the crawler fetch the ticked addresses, or ignore them from now on."""
    ids = list(dict.fromkeys(request.form.getlist("id")))
    status = _status_argument(request.form.get("status", ""))
    if not ids:
        return redirect_to("discoveries.show", t("discoveries.none_ticked"))
    decide_discoveries(current_actor(), ids, status)
    return redirect_to("discoveries.show", t(f"discoveries.done_{status}", count=len(ids)))


def _status_argument(text: str) -> DiscoveryStatus:
    try:
        return DiscoveryStatus(text)
    except ValueError:
        raise BadInput(
            "asked.no_such", name="status", given=repr(text[:40]), choices=", ".join(DiscoveryStatus)
        ) from None
