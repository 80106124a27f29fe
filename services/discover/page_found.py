"""The page that a found address is."""

from crawler.crawl.canonical_addresses import canonical
from store.records import Discovery


def page_found(discovery: Discovery) -> str:
    """The canonical address of the page that it shows, which is another one where it redirects."""
    return canonical(discovery.leads_to or discovery.url)
