"""The crawl of a site, tried out: what it would ask for."""

from typing import Final

from services.acting import Acting
from services.context import Tried
from store.rules.role_rights import Right

PAGES: Final = 20  # that are fetched, for the links on them
SECONDS: Final = 60.0  # after which no more are


def try_site(acting: Acting, id: str) -> Tried:
    """Crawl a few pages of a watched site as it is set, in a process of its own, and store nothing of them.

    Raises `NotFound`, `BadInput`, `Unavailable`; `Forbidden` for an internal site without the right to these.
    """
    acting.require(Right.SITES)
    site = acting.product.store.sites.get(id)
    if site.internal:
        acting.require(Right.ACCESS)
    return acting.product.try_out(site.id)
