"""Summarize pages in child processes, and probe whether a site needs JavaScript rendering."""

import asyncio

from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.capture import RENDERED_TYPE
from crawler.context import META_RENDERED
from crawler.crawl_stats import Ledger
from crawler.extraction.parsing import response_content_type
from crawler.rendering.middleware import RenderMiddleware
from crawler.sandbox.async_reader import AsyncReader
from crawler.spiders.page_summary import PageSummary
from crawler.spiders.sitemaps_and_feeds import Listing
from crawler.spiders.soft_blocks import BlockKind
from crawler.warc.responses import rendered_body
from wenhen.kit.errors import Unreadable
from wenhen.kit.size_and_time_limits import MAX_PAGE_BYTES, SUMMARY_BOUNDS

# Pages and lists are read in child processes with bounds, so that one hostile page holds up no other.


async def summarize_response(reader: AsyncReader, response: Response, *, as_shown: bool = False) -> PageSummary:
    """Summarize a page as its server sent it, or `as_shown` by a browser. Raise `Unreadable`."""
    rendered = rendered_body(response) if as_shown else None
    body, declared = (response.body, response_content_type(response)) if rendered is None else (rendered, RENDERED_TYPE)
    function = "crawler.spiders.page_summary:summarize_page"
    page: PageSummary = await reader.read(
        function, response.url, body[:MAX_PAGE_BYTES], declared, bounds=SUMMARY_BOUNDS
    )
    return page


def start_page_reader() -> AsyncReader:
    """Return a reader for one crawl. Its first child starts along with the crawl."""
    reader = AsyncReader("crawler.spiders.page_summary")
    reader.prepare()
    return reader


async def read_response_listing(reader: AsyncReader, response: Response, longest: int) -> Listing | None:
    """Return the listing of a response, or None if it is none or unreadable."""
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


# The probe that finds out whether the pages of a site need rendering. It renders a few of them.
#
# Once that is known, empty pages arrive here rendered. Pages that only pass browsers are tried here too.


MAX_FRUITLESS_PAGES = 3  # fruitless renderings after which no page is rendered
MIN_RENDERED_CHARACTERS = 150  # characters that only the browser shows


class JsRenderingProbe:
    """The probe of one crawl. Pages of an application arrive many at a time, and wait for the result of the first."""

    def __init__(self, crawler: Crawler, ledger: Ledger, reader: AsyncReader) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._reader = reader
        self._turn = asyncio.Lock()
        self._in_vain = 0
        self._learned = False

    async def render_if_needed(self, response: Response, page: PageSummary) -> PageSummary:
        """Return the rendered page if the page is empty without a browser and full in one. Otherwise return the
        page.
        """
        if not _may_need_rendering(page) or rendered_body(response) is not None:
            return page
        middleware = self._crawler.get_downloader_middleware(RenderMiddleware)
        if middleware is None or not middleware.fills:
            return page
        if not self._learned:
            async with self._turn:
                if not self._learned:
                    return await self._probe_rendering(middleware, response, page)
        return await self._render_page(middleware, response) or page

    async def _probe_rendering(
        self, middleware: RenderMiddleware, response: Response, page: PageSummary
    ) -> PageSummary:
        if self._in_vain == MAX_FRUITLESS_PAGES:
            return page
        rendered = await self._render_page(middleware, response)
        if rendered is None:
            self._in_vain += 1
            return page
        self._learned = True
        if middleware.learns:
            self._ledger.needs_browser(response.url)
        return rendered

    async def _render_page(self, middleware: RenderMiddleware, response: Response) -> PageSummary | None:
        response.meta[META_RENDERED] = await middleware.render_page(response)
        rendered = await self._summarize_rendered(response)
        if (
            rendered is not None
            and rendered.block is None
            and len("".join(rendered.text.split())) >= MIN_RENDERED_CHARACTERS
        ):
            return rendered
        del response.meta[META_RENDERED]
        return None

    async def _summarize_rendered(self, response: Response) -> PageSummary | None:
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
