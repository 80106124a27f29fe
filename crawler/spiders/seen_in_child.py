"""Pages and lists looked at in child processes with bounds: one hostile page holds up no other."""

from scrapy.http import Response

from crawler.evidence.capture import rendered_page
from crawler.extract.parsed_page import LONGEST, content_type_of
from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.reader import Reader
from crawler.spiders.seen_page import SeenPage
from crawler.spiders.sitemaps_and_feeds import Listing
from store.errors import Unreadable
from store.records.web.page import RENDERED_TYPE

BOUNDS = ReadingBounds(seconds=10, memory=1_000, output=64)


async def seen(reader: Reader, response: Response, *, as_shown: bool = False) -> SeenPage:
    """A page as the server sent it, or `as_shown` by a browser where one was asked. Raises `Unreadable`."""
    rendered = rendered_page(response) if as_shown else None
    body, declared = (response.body, content_type_of(response)) if rendered is None else (rendered, RENDERED_TYPE)
    function = "crawler.spiders.seen_page:look"
    page: SeenPage = await reader.read(function, response.url, body[:LONGEST], declared, bounds=BOUNDS)
    return page


def page_reader() -> Reader:
    """A reader for one crawl, whose first child starts while the crawl does."""
    reader = Reader("crawler.spiders.seen_page")
    reader.prepare()
    return reader


async def seen_list(reader: Reader, response: Response, longest: int) -> Listing | None:
    """What a list names (`crawler.spiders.sitemaps_and_feeds.listing`); None for what is none, or cannot be read."""
    try:
        found: Listing | None = await reader.read(
            "crawler.spiders.sitemaps_and_feeds:listing", response.body, response.url, longest, bounds=BOUNDS
        )
    except Unreadable:
        return None
    return found
