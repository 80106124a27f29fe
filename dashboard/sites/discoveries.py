"""The review list of addresses that a search engine gave for a work's sentences."""

from typing import Final

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from services.discover import review
from store.errors import BadInput
from store.records import DiscoveryStatus
from store.rules.role_rights import Right

blueprint = Blueprint("discoveries", __name__, url_prefix="/discoveries")

_SHOWN: Final = 200


@blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Those that wait for a decision, or the status in the address."""
    store = services().store
    status = _status(request.args.get("status") or DiscoveryStatus.PENDING)
    found = store.discoveries.find(status=status, limit=_SHOWN)
    works = store.works.many({one.work_id for one in found})
    return render_template(
        "sites/discoveries.html", found=found, works=works, status=status, statuses=list(DiscoveryStatus), most=_SHOWN
    )


@blueprint.post("/")
@needs(Right.CRAWL)
def decide() -> Response:
    """Let the crawler fetch the ticked addresses, or leave them alone from now on."""
    ids = list(dict.fromkeys(request.form.getlist("id")))
    status = _status(request.form.get("status", ""))
    if not ids:
        flash(t("discoveries.none_ticked"))
        return redirect(url_for("discoveries.show"), 303)
    review.decide(acting(), ids, status)
    flash(t(f"discoveries.done_{status}", count=len(ids)))
    return redirect(url_for("discoveries.show"), 303)


def _status(given: str) -> DiscoveryStatus:
    try:
        return DiscoveryStatus(given)
    except ValueError:
        raise BadInput(
            "asked.no_such", name="status", given=repr(given[:40]), choices=", ".join(DiscoveryStatus)
        ) from None
