"""Which websites are watched."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from crawler.crawl.hosts import ascii_host, readable_host
from services.context import Product
from services.crawls.due import next_due
from services.sites.settings import host_of_start
from store.errors import BadInput, Conflict, NotFound
from store.records import Site


def watch(
    product: Product,
    urls: Sequence[str],
    *,
    name: str | None = None,
    id: str | None = None,
    hosts: Sequence[str] = (),
    every: float = 24.0,
    max_pages: int = 1000,
    max_depth: int = 5,
    internal: bool = False,
    kind: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Site:
    """Watch a site from these start addresses, every so many hours; its first crawl is due now, or with a schedule of
    fixed times at the next of them. `more` are further fields of the record.

    Raises `BadInput` for an address that cannot be crawled, `Conflict` for an id that is taken.
    """
    if not urls:
        raise BadInput("a site needs an address to start from")
    own_hosts = tuple(dict.fromkeys([*(host_of_start(url) for url in urls), *map(ascii_host, hosts)]))
    id = id or re.sub(r"[^\w.-]+", "-", own_hosts[0])
    if not re.fullmatch(r"[\w.-]{1,253}", id):
        raise BadInput(f"{id[:80]!r} is no id of a site: letters, figures, points and dashes stand in it")
    if _is_watched(product, id):
        raise Conflict(f"the site {id} is there already: remove it first, or give it another id")
    site = Site(
        id=id,
        name=name or readable_host(own_hosts[0]),
        start_urls=tuple(urls),
        hosts=own_hosts,
        interval_hours=every,
        max_pages=max_pages,
        max_depth=max_depth,
        added_at=product.now(),
        due=product.now() + timedelta(seconds=1),
        internal=internal,
        kind=kind,
        **(more or {}),
    )
    if site.cron:
        site = replace(site, due=next_due(site, product.now()))
    product.store.sites.put(site)
    return site


def _is_watched(product: Product, id: str) -> bool:
    try:
        product.store.sites.get(id)
    except NotFound:
        return False
    return True
