"""Addresses that were accepted together, as a site made for the occasion that one crawl fetches."""

from urllib.parse import urlsplit

from services.context import Product
from store.errors import NotFound
from store.records import Site, Subject

PAGES_EACH = 20  # an address may be the first page of a text that goes on


def batch_site(product: Product, subject: Subject) -> Site:
    """The addresses of a batch, without what they link to but for the next pages of a text. Raises `NotFound`."""
    found = product.store.discoveries.of_batch(subject.id)
    hosts = {one.url: urlsplit(one.url).hostname for one in found}
    urls = tuple(url for url, host in hosts.items() if host)
    if not urls:
        raise NotFound("discover.no_batch", batch=subject)
    return Site(
        id=str(subject),
        name=str(subject),
        start_urls=urls,
        hosts=tuple(dict.fromkeys(host for host in hosts.values() if host)),
        interval_hours=24,
        max_pages=PAGES_EACH * len(urls),
        max_depth=0,
        added_at=product.now(),
        due=product.now(),
    )
