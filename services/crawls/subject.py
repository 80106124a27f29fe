"""The site that a crawl is of: a watched one, or one made for the occasion."""

import dataclasses

from crawler.crawl.host_names import belongs, host_of, place_of
from services.context import Product
from services.crawls.accepted_discoveries import batch_site
from services.crawls.unwatched_address import ad_hoc_site
from store.errors import BadInput
from store.records import Site, Subject, SubjectKind


def site_for(product: Product, subject: Subject) -> Site:
    """The watched site; for an address, the site that it belongs to, started there, or one made for the occasion, as
    for a batch of a search. Raises `NotFound`, `BadInput`.
    """
    match subject.kind:
        case SubjectKind.BATCH:
            return batch_site(product, subject)
        case SubjectKind.ADDRESS:
            return _site_of_address(product, subject.id)
        case _:
            return product.store.sites.get(subject.id)


def _site_of_address(product: Product, url: str) -> Site:
    host = host_of(url)
    if not host:
        raise BadInput("crawls.no_host", url=url)
    for site in product.store.sites.all():
        elsewhere = site.internal and place_of(url) not in map(place_of, site.start_urls)
        if belongs(host, site.hosts) and not elsewhere:  # at another port of an internal host is another server
            return dataclasses.replace(site, start_urls=(url,))
    return ad_hoc_site(url, host, product.now())
