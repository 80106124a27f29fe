"""Pages whose text is there only after their scripts have run, read from a browser.

What the server sent is fetched as every page is, kept as evidence, and given to the browser as its document; so the
page is asked for once, and what a capture holds is both, each under its name.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.context import context_of
from crawler.crawl.job import CrawlJob, Render, host_of
from crawler.crawl.request_meta import HOPS, NOT_RENDERED, RENDERED
from crawler.extract.blocks import read
from crawler.extract.content_type import is_html
from crawler.extract.parsed_page import page_as_sent
from crawler.fetch.cookies import SessionMiddleware
from crawler.fetch.guard_proxy import GuardProxy
from crawler.fetch.proxying import ProxyMiddleware
from store.errors import TooLarge

HOLLOW = 100  # characters of text below which a page with scripts is taken for one that they fill
QUIET = 5.0  # seconds that the network may take to fall quiet
STEADY = 0.25  # seconds between two looks at how long the text is
LOOKS = 3  # in a row that see the same length, and it is done
MOST_REQUESTS = 200  # of one page
HEAVY = frozenset(("image", "media", "font", "texttrack", "manifest", "ping", "eventsource"))
TEXT_LENGTH = "document.body ? document.body.innerText.length : 0"
PAGE_LENGTH = "document.documentElement.outerHTML.length"


def hollow(html: str) -> bool:
    """Whether a page shows next to nothing while it has scripts that may fill it."""
    if "<script" not in html.lower():
        return False
    return sum(len(line.text) for line in read(LexborHTMLParser(html.replace("\0", ""))).lines) < HOLLOW


class RenderMiddleware:
    """Farthest from the server: it sees the page that all redirects have led to, in its charset."""

    def __init__(self, crawler: Crawler, job: CrawlJob) -> None:
        from crawler.fetch.browser_provider import guarded_handler

        self._crawler = crawler
        self._job = job
        self._guard = GuardProxy(job.max_body_bytes, job.browser_seconds * 2)
        self._handler = guarded_handler(crawler, self._guard)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RenderMiddleware":
        """Scrapy's constructor."""
        job = context_of(crawler).job
        if job.render is Render.NEVER:
            raise NotConfigured
        middleware = cls(crawler, job)
        crawler.signals.connect(middleware.end, signals.spider_closed)
        return middleware

    async def end(self) -> None:
        """End the browser."""
        await self._handler.close()

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Add what the browser made of the page to its meta, or why it could not."""
        if HOPS not in request.meta or response.status != 200 or not is_html(response):
            return response
        html = page_as_sent(response).text
        if self._job.render is Render.EMPTY and not hollow(html):
            return response
        if proxies := self._crawler.get_downloader_middleware(ProxyMiddleware):
            self._guard.onward = proxies.pool
        visit = _Visit(response.url, html, self._job.max_body_bytes)
        try:
            async with asyncio.timeout(self._job.browser_seconds):
                rendered = await self._handler.download_request(self._request(visit))
        except Exception as error:  # noqa: BLE001  whatever a page does to its browser, what was sent is kept
            first_line = str(error).partition("\n")[0][:200]
            request.meta[NOT_RENDERED] = f"not rendered: {type(error).__name__}: {first_line}".rstrip(": ")
            return response
        finally:
            await visit.end()
        if visit.sent_on and hollow(rendered.text):
            return self._follow(visit.sent_on, request) or response
        request.meta[RENDERED] = rendered.body
        return response

    def _request(self, visit: "_Visit") -> Request:
        from scrapy_playwright.page import PageMethod

        return Request(
            visit.url,
            meta={
                "playwright": True,
                "playwright_context": "site",
                "playwright_context_kwargs": self._context(),
                "playwright_page_init_callback": visit.prepare,
                "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
                "playwright_page_methods": [PageMethod(visit.settle)],
            },
        )

    def _context(self) -> dict[str, Any]:
        """The same visitor as the one that fetches: its name, its languages, its session."""
        settings = self._crawler.settings
        session = self._crawler.get_downloader_middleware(SessionMiddleware)
        headers = settings.getdict("DEFAULT_REQUEST_HEADERS")
        return {
            "user_agent": settings["USER_AGENT"],
            "extra_http_headers": {"Accept-Language": headers["Accept-Language"]},
            "locale": "zh-CN",
            "service_workers": "block",
            "accept_downloads": False,
            "ignore_https_errors": True,  # as the rest of the crawl
            "storage_state": {"cookies": [_for_browser(cookie) for cookie in session.present()] if session else []},
        }

    def _follow(self, url: str, request: Request) -> Request | None:
        """Where a script has sent the visitor, as a redirect."""
        times = request.meta.get("redirect_times", 0) + 1
        if times > self._job.max_redirects or not self._job.admits(url):
            return None
        return request.replace(
            url=url,
            dont_filter=True,
            meta={
                **request.meta,
                "redirect_times": times,
                "redirect_urls": [*request.meta.get("redirect_urls", []), request.url],
            },
        )


@dataclass
class _Visit:
    """One page in the browser."""

    url: str
    html: str
    most: int  # characters that the page may have in the end
    sent_on: str | None = None  # where the page wanted to go instead
    _given: bool = False
    _requests: int = 0
    _page: Any = field(default=None, repr=False)

    async def prepare(self, page: Any, _request: Request) -> None:
        """Answer every request of the page before anything else does."""
        self._page = page
        await page.route("**/*", self._answer)

    async def _answer(self, route: Any) -> None:
        asked = route.request
        if asked.is_navigation_request() and asked.frame == self._page.main_frame:
            if not self._given:
                self._given = True
                await route.fulfill(
                    status=200, headers={"content-type": "text/html; charset=utf-8"}, body=self.html.encode()
                )
                return
            self.sent_on = asked.url
            await route.fulfill(status=204)  # the page stays as it is; broken off, an error page would take its place
            return
        self._requests += 1
        heavy = asked.resource_type in HEAVY or self._requests > MOST_REQUESTS
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
        while len(lengths) < LOOKS or len(set(lengths[-LOOKS:])) > 1:
            lengths.append(await page.evaluate(TEXT_LENGTH))
            await asyncio.sleep(STEADY)
        if await page.evaluate(PAGE_LENGTH) > self.most:
            raise TooLarge("the page exceeds the limit once its scripts have run")

    async def end(self) -> None:
        """Close the page, if it is still open."""
        if self._page is not None and not self._page.is_closed():
            with suppress(Exception):  # a page that hangs is closed with its browser
                async with asyncio.timeout(QUIET):
                    await self._page.close()


def _for_browser(cookie: Any) -> dict[str, Any]:
    return {
        "name": cookie.name,
        "value": cookie.value,
        "domain": cookie.domain,
        "path": cookie.path,
        "expires": cookie.expires.timestamp() if cookie.expires else -1,
        "httpOnly": False,
        "secure": cookie.secure,
        "sameSite": "Lax",
    }
