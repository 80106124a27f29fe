"""Recognize a page under several URLs: HTTP and HTTPS, and mirror hosts."""

from collections.abc import Mapping, Sequence

from crawler.addresses import other_scheme_url, scheme_neutral_url
from wenhen.kit.progress import page_id
from wenhen.pages.model import Page
from wenhen.product.context import Context, Product
from wenhen.sites.model import MIRROR_SAMPLE_PAGES, count_equal_pages, is_same_path, url_at_host_of


class SchemeAliases:
    """Cache which scheme the pages of a crawl are stored under.

    If an earlier version stored a page under both schemes, the HTTPS page is used.
    """

    def __init__(self, product: Product) -> None:
        self._pages = product.store.pages
        self._kept: dict[str, str] = {}  # requested URL -> URL of the stored page, if they differ
        self._doubles: dict[str, str] = {}  # URL of the stored page -> URL of its duplicate

    def pages(self, urls: Sequence[str]) -> list[Page | None]:
        """Return the pages of canonical URLs in the same order, and remember under which URL each is stored."""
        ids = {url: page_id(url) for given in urls for url in (given, other_scheme_url(given)) if url}
        pages = self._pages.many(list(ids.values()))
        return [self._learn(url, {alias: pages[id] for alias, id in ids.items() if id in pages}) for url in urls]

    def kept_as(self, url: str) -> str:
        """Return the URL under which the page is stored."""
        return self._kept.get(url, url)

    def double_of(self, url: str) -> str | None:
        """Return the URL of the duplicate of a page, if there is one."""
        return self._doubles.get(url)

    def _learn(self, url: str, known: Mapping[str, Page]) -> Page | None:
        other = other_scheme_url(url)
        if other is None or other not in known:
            return known.get(url)
        if url not in known:
            self._kept[url] = other
            return known[other]
        by_https = scheme_neutral_url(url)
        by_http = other if by_https == url else url
        self._kept[by_http], self._doubles[by_https] = by_https, by_http
        return known[by_https]


# Mirror hosts are learned from equal pages of crawls, unless users declare them.


MAX_TWIN_PAGES = 10  # pages with the same body that are compared


def learn_mirrors(context: Context, pages: Sequence[Page]) -> None:
    """Compare the hosts of new pages with hosts that have the same body at the same path."""
    first = context.store.pages.first_with_body({page.capture.body_digest for page in pages}) if pages else {}
    for page in pages:
        if first.get(page.capture.body_digest, page.id) != page.id:
            _learn_mirror(context, page)


def _learn_mirror(context: Context, page: Page) -> None:
    mains = context.store.mirrors.mains()
    own = mains.get(page.host, page.host)
    for twin in context.store.pages.same_body(page.capture.body_digest, MAX_TWIN_PAGES):
        if mains.get(twin.host, twin.host) == own or not is_same_path(page.url, twin.url):
            continue
        if equal := _count_shared_pages(context, page, twin):
            context.store.mirrors.join(page.host, twin.host, pages=equal, moment=context.now())
            return


def _count_shared_pages(context: Context, page: Page, twin: Page) -> int:
    pages = context.store.pages.of_host(page.host, MIRROR_SAMPLE_PAGES)
    twin_ids = {page.id: page_id(url_at_host_of(page.url, twin.url)) for page in pages}
    others = context.store.pages.many(list(twin_ids.values()))
    pairs = [
        (page.capture.body_digest, others[twin_ids[page.id]].capture.body_digest)
        for page in pages
        if twin_ids[page.id] in others
    ]
    return count_equal_pages(pairs)
