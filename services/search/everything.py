"""Works, cases, pages, sites and comments by a few words, and the texts that hold them as a phrase."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from services.context import Product
from services.search.phrase_search import TextHits, phrase_in_texts
from store.errors import NotFound
from store.records import Case, Comment, Page, PageFilter, Site, Work
from store.rules.record_ids import page_id

QUERY_LENGTH: Final = 200  # characters
SHOWN: Final = 10  # of each kind
COUNTED: Final = 10_000  # as far as works and cases are counted


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a query finds: the first `SHOWN` of each kind, and how many works and cases there are."""

    works: Sequence[Work]
    all_works: int
    cases: Sequence[Case]
    all_cases: int
    pages: Sequence[Page]  # at this address, on this host, or whose title begins so
    sites: Sequence[Site]
    comments: Sequence[Comment]
    texts: TextHits

    @property
    def nothing(self) -> bool:
        """Whether nothing was found."""
        return not (self.works or self.cases or self.pages or self.sites or self.comments or self.texts.hits)


def search(product: Product, query: str) -> SearchResult:
    """What a query finds; nothing for an empty one."""
    store, query = product.store, query.strip()[:QUERY_LENGTH]
    if not query:
        return SearchResult((), 0, (), 0, (), (), (), TextHits((), 0, True, product.phrases.exists()))
    works = store.works.find(query=query, limit=SHOWN)
    cases = [case] if (case := _numbered(product, query)) else store.cases.find(text=query, limit=SHOWN)
    return SearchResult(
        works=works,
        all_works=store.works.count(query=query, most=COUNTED) if len(works) == SHOWN else len(works),
        cases=cases,
        all_cases=store.cases.count(text=query) if len(cases) == SHOWN else len(cases),
        pages=_pages(product, query),
        sites=[site for site in store.sites.all() if _names(site, query.casefold())][:SHOWN],
        comments=store.comments.search(query, SHOWN),
        texts=phrase_in_texts(product, query, SHOWN),
    )


def _numbered(product: Product, query: str) -> Case | None:
    """The case of this number, as people write it."""
    number = query.removeprefix("#")
    if query.startswith("#") and number.isascii() and number.isdecimal() and len(number) < 18:
        with suppress(NotFound):
            return product.store.cases.get(number)
    return None


def _pages(product: Product, query: str) -> list[Page]:
    pages = product.store.pages
    if "/" in query:
        address = query if "://" in query else f"https://{query}"
        return list(pages.many([page_id(address)]).values())
    if "." in query and query.isascii():
        return pages.search(PageFilter(host=query.lower()), limit=SHOWN)
    return pages.search(PageFilter(title=query), limit=SHOWN)


def _names(site: Site, words: str) -> bool:
    return words in site.name.casefold() or any(words in host for host in site.hosts)
