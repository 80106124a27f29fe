"""Take addresses that somebody pasted, and show what became of each."""

from collections.abc import Sequence
from typing import Final

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.language import language
from dashboard.frame.security import needs
from wenhen.crawls.address_fetches import (
    MAX_ADDRESS_CHARACTERS,
    MAX_ADDRESSES,
    fetch_addresses,
    find_addresses,
    find_outcomes,
)
from wenhen.crawls.model import Run, RunKind
from wenhen.kit.errors import BadInput, Conflict, Message, TooLarge
from wenhen.kit.rights import Right

addresses_blueprint = Blueprint("addresses", __name__, url_prefix="/addresses")

_RECENT_RUNS: Final = 100  # of all crawls, among which the last requests are looked for
_SHOWN_REQUESTS: Final = 8
_MAX_NAMED: Final = 5  # words that are no address
# It opens the form with the page being read. As a link it runs where the reader puts it, and never on our pages.
_BOOKMARKLET: Final = "javascript:void(open('{form}?url='+encodeURIComponent(location.href)))"


@addresses_blueprint.get("/")
@needs(Right.READ)
def show() -> str:
    """Show the form, and the outcomes of the requested runs."""
    runs = [services().store.runs.get(id) for id in dict.fromkeys(request.args.getlist("run")[:MAX_ADDRESSES])]
    return _render(runs, pasted=request.args.get("url", "")[:MAX_ADDRESS_CHARACTERS])


@addresses_blueprint.post("/")
@needs(Right.CRAWL)
def take() -> Response | tuple[str, int]:
    """Fetch the pasted addresses."""
    pasted = request.form.get("addresses", "")
    addresses, refused = find_addresses(pasted)
    if refused:
        named = Message("crawls.not_in_full", {"url": " ".join(refused[:_MAX_NAMED])[:MAX_ADDRESS_CHARACTERS]})
        return _render([], pasted=pasted, refusal=named), 400
    try:
        runs = fetch_addresses(current_actor(), addresses, follow=bool(request.form.get("follow")))
    except (BadInput, TooLarge, Conflict) as error:
        return _render([], pasted=pasted, refusal=error.message), 400
    return redirect(url_for("addresses.show", run=[run.id for run in runs]), 303)


def _render(runs: Sequence[Run], *, pasted: str, refusal: Message | None = None) -> str:
    store = services().store
    outcomes = find_outcomes(services().product, runs)
    recent = [run for run in store.runs.recent(kind=RunKind.CRAWL, limit=_RECENT_RUNS) if run.addresses]
    return render_template(
        "sites/addresses.html",
        runs=runs,
        outcomes=outcomes,
        settled=sum(outcome.is_final for outcome in outcomes),
        pasted=pasted,
        refusal=refusal and refusal.text(language()),
        recent=recent[:_SHOWN_REQUESTS],
        empty=not store.works.count(),
        limit=MAX_ADDRESSES,
        bookmarklet=_BOOKMARKLET.format(form=url_for("addresses.show", _external=True)),
    )
