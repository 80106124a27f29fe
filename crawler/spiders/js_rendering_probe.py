"""Summarize pages in child processes, and probe whether a site needs JavaScript rendering."""

import asyncio

from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.capture import RENDERED_TYPE
from crawler.context import META_RENDERED
from crawler.crawl_stats import Ledger
from crawler.extraction.parsing import MAX_PAGE_BYTES, response_content_type
from crawler.rendering.middleware import RenderMiddleware
from crawler.sandbox.async_reader import AsyncReader
from crawler.sandbox.protocol import ReadingBounds
from crawler.spiders.page_summary import PageSummary
from crawler.spiders.sitemaps_and_feeds import Listing
from crawler.spiders.soft_blocks import BlockKind
from crawler.warc.responses import rendered_body
from wenhen.kit.errors import Unreadable

# Pages and lists looked at in child processes with bounds: one hostile page holds up no other.


SUMMARY_BOUNDS = ReadingBounds(seconds=10, memory=1_000, output=64)


async def summarize_response(reader: AsyncReader, response: Response, *, as_shown: bool = False) -> PageSummary:
    """A page as the server sent it, or `as_shown` by a browser where one was asked. Raises `Unreadable`."""
    rendered = rendered_body(response) if as_shown else None
    body, declared = (response.body, response_content_type(response)) if rendered is None else (rendered, RENDERED_TYPE)
    function = "crawler.spiders.page_summary:summarize_page"
    page: PageSummary = await reader.read(
        function, response.url, body[:MAX_PAGE_BYTES], declared, bounds=SUMMARY_BOUNDS
    )
    return page


def start_page_reader() -> AsyncReader:
    """A reader for one crawl, whose first child starts while the crawl does."""
    reader = AsyncReader("crawler.spiders.page_summary")
    reader.prepare()
    return reader


async def read_response_listing(reader: AsyncReader, response: Response, longest: int) -> Listing | None:
    """What a list names, as `sitemaps_and_feeds.read_listing`; None for what is none, or cannot be read."""
    try:
        listing: Listing | None = await reader.read(
            "crawler.spiders.sitemaps_and_feeds:read_listing",
            response.body,
            response.url,
            longest,
            bounds=SUMMARY_BOUNDS,
        )
    except Unreadable:
        return None
    return listing


# Finds out whether the pages of a site are empty until their scripts have run: a few of them are rendered for that.
#
# Where that is known, the empty ones were rendered on their way here; what lets browsers alone pass is tried here too.


MAX_FRUITLESS_PAGES = 3  # pages that show nothing in the browser either, after which no other is rendered
MIN_RENDERED_CHARACTERS = 150  # characters that a page shows in the browser alone


class JsRenderingProbe:
    """One for a crawl. The pages of an application come many at a time: they wait for what the first of them shows."""

    def __init__(self, crawler: Crawler, ledger: Ledger, reader: AsyncReader) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._reader = reader
        self._turn = asyncio.Lock()
        self._in_vain = 0
        self._learned = False

    async def shown(self, response: Response, page: PageSummary) -> PageSummary:
        """What the page shows in a browser, where it shows nothing without one and much there; else as it is."""
        if not _may_need_rendering(page) or rendered_body(response) is not None:
            return page
        middleware = self._crawler.get_downloader_middleware(RenderMiddleware)
        if middleware is None or not middleware.fills:
            return page
        if not self._learned:
            async with self._turn:
                if not self._learned:
                    return await self._tried(middleware, response, page)
        return await self._filled(middleware, response) or page

    async def _tried(self, middleware: RenderMiddleware, response: Response, page: PageSummary) -> PageSummary:
        if self._in_vain == MAX_FRUITLESS_PAGES:
            return page
        found = await self._filled(middleware, response)
        if found is None:
            self._in_vain += 1
            return page
        self._learned = True
        if middleware.learns:
            self._ledger.needs_browser(response.url)
        return found

    async def _filled(self, middleware: RenderMiddleware, response: Response) -> PageSummary | None:
        response.meta[META_RENDERED] = await middleware.rendered(response)
        found = await self._seen(response)
        if found is not None and found.block is None and len("".join(found.text.split())) >= MIN_RENDERED_CHARACTERS:
            return found
        del response.meta[META_RENDERED]
        return None

    async def _seen(self, response: Response) -> PageSummary | None:
        try:
            return (
                await summarize_response(self._reader, response, as_shown=True)
                if response.meta[META_RENDERED]
                else None
            )
        except Unreadable:
            return None


def _may_need_rendering(page: PageSummary) -> bool:
    return page.hollow or (page.block is not None and page.block.kind is BlockKind.INTERSTITIAL)
