"""Review addresses that a search engine found for a work."""

from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import t
from dashboard.frame.security import needs
from wenhen.discovery.model import DiscoveryStatus
from wenhen.discovery.service import decide_discoveries
from wenhen.kit.errors import BadInput
from wenhen.kit.rights import Right

discoveries_blueprint = Blueprint("discoveries", __name__, url_prefix="/discoveries")

_MAX_ADDRESSES_SHOWN: Final = 200


@discoveries_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the addresses with the requested status, by default those that wait for a decision."""
    store = services().store
    status = _status_argument(request.args.get("status") or DiscoveryStatus.PENDING)
    discoveries = store.discoveries.find(status=status, limit=_MAX_ADDRESSES_SHOWN)
    works = store.works.many({discovery.work_id for discovery in discoveries})
    return render_template(
        "sites/discoveries.html",
        found=discoveries,
        works=works,
        status=status,
        statuses=list(DiscoveryStatus),
        most=_MAX_ADDRESSES_SHOWN,
    )


@discoveries_blueprint.post("/")
@needs(Right.CRAWL)
def decide() -> Response:
    """Let the crawler fetch the ticked addresses, or ignore them from now on."""
    ids = list(dict.fromkeys(request.form.getlist("id")))
    status = _status_argument(request.form.get("status", ""))
    if not ids:
        flash(t("discoveries.none_ticked"))
        return redirect(url_for("discoveries.show"), 303)
    decide_discoveries(current_actor(), ids, status)
    flash(t(f"discoveries.done_{status}", count=len(ids)))
    return redirect(url_for("discoveries.show"), 303)


def _status_argument(given: str) -> DiscoveryStatus:
    try:
        return DiscoveryStatus(given)
    except ValueError:
        raise BadInput(
            "asked.no_such", name="status", given=repr(given[:40]), choices=", ".join(DiscoveryStatus)
        ) from None
