"""http and https of one address are one page, which is kept by the address that it is known by."""

from collections.abc import Mapping, Sequence

from crawler.crawl.canonical_addresses import any_scheme, at_other_scheme
from services.context import Product
from store.records import Page
from store.rules.record_ids import page_id


class Schemes:
    """What one crawl has asked about, and found under the other scheme. Where an earlier release kept both, the page is
    that of https.
    """

    def __init__(self, product: Product) -> None:
        self._pages = product.store.pages
        self._kept: dict[str, str] = {}  # by the address asked about, where that is not its own
        self._doubles: dict[str, str] = {}  # by the address of a page, that of the same page kept a second time

    def pages(self, urls: Sequence[str]) -> list[Page | None]:
        """The pages of canonical addresses, in their order; from then on it is known under which each is kept."""
        ids = {url: page_id(url) for one in urls for url in (one, at_other_scheme(one)) if url}
        found = self._pages.many(list(ids.values()))
        return [self._learn(url, {one: found[id] for one, id in ids.items() if id in found}) for url in urls]

    def kept_as(self, url: str) -> str:
        """The address under which the page is kept."""
        return self._kept.get(url, url)

    def double_of(self, url: str) -> str | None:
        """The address of the same page where it is there a second time."""
        return self._doubles.get(url)

    def _learn(self, url: str, known: Mapping[str, Page]) -> Page | None:
        other = at_other_scheme(url)
        if other is None or other not in known:
            return known.get(url)
        if url not in known:
            self._kept[url] = other
            return known[other]
        by_https = any_scheme(url)
        by_http = other if by_https == url else url
        self._kept[by_http], self._doubles[by_https] = by_https, by_http
        return known[by_https]
