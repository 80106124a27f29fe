"""How a site is best gone through, found from one address."""

from collections.abc import Mapping
from dataclasses import dataclass

from services.acting import Acting
from services.sites.site_settings import host_of_start
from store.errors import FetchRefused
from store.records import Layout
from store.rules.role_rights import Right

LONGEST_NAME = 100  # characters
MOST_LISTS = 20


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a site offers, and how it should be watched: by its sitemaps, else by its feeds, else by its links."""

    url: str
    name: str
    sitemaps: tuple[str, ...]
    feeds: tuple[str, ...]
    pages: int  # that the sitemaps and feeds name

    @property
    def layout(self) -> Layout:
        """How it should be gone through."""
        return Layout.SITEMAP if self.sitemaps else Layout.FEED if self.feeds else Layout.NEWS

    @property
    def start_urls(self) -> tuple[str, ...]:
        """What it should be started from."""
        return {Layout.SITEMAP: self.sitemaps, Layout.FEED: self.feeds}.get(self.layout, (self.url,))

    def written(self) -> Mapping[str, str]:
        """The settings of the site that is suggested, as `services.sites.site_settings` reads them."""
        return {"urls": " ".join(self.start_urls), "name": self.name, "layout": str(self.layout)}


def survey_site(acting: Acting, url: str, *, internal: bool = False) -> Suggestion:
    """Look at an address, robots.txt, sitemaps and feeds, by the rules of the crawler, in a process of its own.

    Raises `BadInput`, `FetchRefused` with the reason, `Unavailable`; `Forbidden` for an internal site without the right
    to these.
    """
    acting.require(Right.SITES)
    if internal:
        acting.require(Right.ACCESS)
    host = host_of_start(url)
    found = acting.product.survey(url, internal)
    if found.problem and not found.sitemaps and not found.feeds:
        raise FetchRefused("crawls.of_address", url=url, reason=found.problem)
    sitemaps, feeds = tuple(found.sitemaps[:MOST_LISTS]), tuple(found.feeds[:MOST_LISTS])
    return Suggestion(url, found.title[:LONGEST_NAME] or host, sitemaps, feeds, found.pages)
