"""The crawl of one site, tried out: what it would fetch."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import Blueprint, render_template

from dashboard.frame.context import acting, services
from dashboard.frame.language import t
from dashboard.frame.permissions import needs
from dashboard.sites import site
from dashboard.sites.site_form import told
from services.context import Tried
from services.sites.dry_run import try_site
from store.errors import BadInput, Unavailable
from store.rules.role_rights import Right

blueprint = Blueprint("site_trial", __name__, url_prefix="/sites/try")

SHOWN: Final = 500  # addresses that are listed


class TriedAddress(NamedTuple):
    """What became of an address. said: empty where it waits for its turn in a real crawl."""

    url: str
    said: str
    missed: bool = False


@blueprint.post("/<path:id>")
@needs(Right.SITES)
def show(id: str) -> str | tuple[str, int]:
    """Try it out, and list what it would ask for, in its order; nothing of it is stored."""
    watched = services().store.sites.get(id)
    try:
        tried = try_site(acting(), id)
    except (BadInput, Unavailable) as error:
        return site.page(id, trial_refusal=told(error.message)), 400
    return render_template("sites/trial.html", site=watched, tried=tried, rows=outcomes(tried), shown=SHOWN)


def outcomes(tried: Tried) -> Sequence[TriedAddress]:
    """What it would ask for and what became of it; what a rule kept out was not asked for, and stands at the end."""
    found = {url: TriedAddress(url, "") for url in tried.asked}
    found |= {url: TriedAddress(url, t("sites.tried_page")) for url in tried.pages}
    found |= {url: TriedAddress(url, told(why), missed=True) for url, why in tried.missed}
    return list(found.values())
