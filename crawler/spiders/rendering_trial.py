"""Finds out whether the pages of a site are empty until their scripts have run: a few of them are rendered for that.

Where that is known, the empty ones were rendered on their way here; what lets browsers alone pass is tried here too.
"""

import asyncio

from scrapy.crawler import Crawler
from scrapy.http import Response

from crawler.crawl.count_and_report import Ledger
from crawler.crawl.request_meta import RENDERED
from crawler.evidence.capture import rendered_page
from crawler.fetch.rendering.render_middleware import RenderMiddleware
from crawler.isolated.reader import Reader
from crawler.spiders.seen_in_child import seen
from crawler.spiders.seen_page import SeenPage
from crawler.spiders.soft_blocks import Kind
from store.errors import Unreadable

IN_VAIN = 3  # pages that show nothing in the browser either, after which no other is rendered
SHOWN = 150  # characters that a page shows in the browser alone


class RenderingTrial:
    """One for a crawl. The pages of an application come many at a time: they wait for what the first of them shows."""

    def __init__(self, crawler: Crawler, ledger: Ledger, reader: Reader) -> None:
        self._crawler = crawler
        self._ledger = ledger
        self._reader = reader
        self._turn = asyncio.Lock()
        self._in_vain = 0
        self._learned = False

    async def shown(self, response: Response, page: SeenPage) -> SeenPage:
        """What the page shows in a browser, where it shows nothing without one and much there; else as it is."""
        if not _may_be_filled(page) or rendered_page(response) is not None:
            return page
        middleware = self._crawler.get_downloader_middleware(RenderMiddleware)
        if middleware is None or not middleware.fills:
            return page
        if not self._learned:
            async with self._turn:
                if not self._learned:
                    return await self._tried(middleware, response, page)
        return await self._filled(middleware, response) or page

    async def _tried(self, middleware: RenderMiddleware, response: Response, page: SeenPage) -> SeenPage:
        if self._in_vain == IN_VAIN:
            return page
        found = await self._filled(middleware, response)
        if found is None:
            self._in_vain += 1
            return page
        self._learned = True
        if middleware.learns:
            self._ledger.needs_browser(response.url)
        return found

    async def _filled(self, middleware: RenderMiddleware, response: Response) -> SeenPage | None:
        response.meta[RENDERED] = await middleware.rendered(response)
        found = await self._seen(response)
        if found is not None and found.block is None and len("".join(found.text.split())) >= SHOWN:
            return found
        del response.meta[RENDERED]
        return None

    async def _seen(self, response: Response) -> SeenPage | None:
        try:
            return await seen(self._reader, response, as_shown=True) if response.meta[RENDERED] else None
        except Unreadable:
            return None


def _may_be_filled(page: SeenPage) -> bool:
    return page.hollow or (page.block is not None and page.block.kind is Kind.INTERSTITIAL)
