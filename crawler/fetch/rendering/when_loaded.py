"""One page in the browser, from the document that it is given until its scripts are done."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request

from crawler.crawl.host_names import host_of
from store.errors import TooLarge

QUIET = 5.0  # seconds that the network may take to fall quiet
STEADY = 0.25  # seconds between two measurements of how long the text is
SAME_LENGTHS = 3  # in a row, and the page is done
MOST_REQUESTS = 200  # of one page
HEAVY = frozenset(("image", "media", "font", "texttrack", "manifest", "ping", "eventsource"))
TEXT_LENGTH = "document.body ? document.body.innerText.length : 0"
PAGE_LENGTH = "document.documentElement.outerHTML.length"


@dataclass
class BrowserPage:
    """One page in the browser. left_out: kinds of what it is made of that are not fetched."""

    url: str
    document: bytes
    most: int  # characters that the page may have in the end
    content_type: str = "text/html; charset=utf-8"
    left_out: frozenset[str] = HEAVY
    sent_on: str | None = None  # where the page wanted to go instead
    _document_given: bool = False
    _requests: int = 0
    _page: Any = field(default=None, repr=False)

    async def prepare(self, page: Any, _request: Request | None = None) -> None:
        """Answer every request of the page before anything else does."""
        self._page = page
        await page.route("**/*", self._answer)

    async def _answer(self, route: Any) -> None:
        asked = route.request
        if asked.is_navigation_request() and asked.frame == self._page.main_frame:
            if not self._document_given:
                self._document_given = True
                await route.fulfill(status=200, headers={"content-type": self.content_type}, body=self.document)
                return
            self.sent_on = asked.url
            await route.fulfill(status=204)  # the page stays as it is; broken off, an error page would take its place
            return
        self._requests += 1
        heavy = asked.resource_type in self.left_out or self._requests > MOST_REQUESTS
        if heavy or host_of(asked.url) is None:
            await route.abort()
        else:
            await route.continue_()

    async def settle(self, page: Any) -> None:
        """Return when the page seems to be done: the network is quiet, and the text grows no more."""
        from playwright.async_api import TimeoutError as StillBusy

        with suppress(StillBusy):
            await page.wait_for_load_state("networkidle", timeout=QUIET * 1000)
        lengths: list[int] = []
        while len(lengths) < SAME_LENGTHS or len(set(lengths[-SAME_LENGTHS:])) > 1:
            lengths.append(await page.evaluate(TEXT_LENGTH))
            await asyncio.sleep(STEADY)
        if await page.evaluate(PAGE_LENGTH) > self.most:
            raise TooLarge("page.rendered_too_large")

    async def end(self) -> None:
        """Close the page, if it is still open."""
        if self._page is not None and not self._page.is_closed():
            with suppress(Exception):  # a page that hangs is closed with its browser
                async with asyncio.timeout(QUIET):
                    await self._page.close()
