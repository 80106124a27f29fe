"""The site that a crawl is of: a watched one, or one made for the occasion."""

import dataclasses
from datetime import datetime

from crawler.crawl.hosts import belongs, host_of
from services.context import Product
from services.discover.batches import SUBJECT, batch_site
from store.errors import BadInput
from store.records import Site

AD_HOC_PAGES = 200
AD_HOC_DEPTH = 3


def site_for(product: Product, subject: str) -> Site:
    """The site with this id; for an address, the site that it belongs to, started there, or one made for the
    occasion.
    """
    if subject.startswith(SUBJECT):
        return batch_site(product, subject)
    if not subject.startswith(("http://", "https://")):
        return product.store.sites.get(subject)
    host = host_of(subject)
    if not host:
        raise BadInput("crawls.no_host", url=subject)
    for site in product.store.sites.all():
        if belongs(host, site.hosts):
            return _started_at(site, subject)
    return ad_hoc_site(subject, host, product.now())


def ad_hoc_site(url: str, host: str, now: datetime) -> Site:
    """A site made for the occasion, which no store knows."""
    return Site(
        id=url,
        name=url,
        start_urls=(url,),
        hosts=(host,),
        interval_hours=24,
        max_pages=AD_HOC_PAGES,
        max_depth=AD_HOC_DEPTH,
        added_at=now,
        due=now,
    )


def _started_at(site: Site, url: str) -> Site:
    return dataclasses.replace(site, start_urls=(url,))
