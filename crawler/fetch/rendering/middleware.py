"""Pages whose text is there only after their scripts have run, read from a browser.

What the server sent is fetched as every page is, kept as evidence, and given to the browser as its document; so the
page is asked for once, and what a capture holds is both, each under its name.
"""

import asyncio
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.context import context_of
from crawler.crawl.job import CrawlJob, Render
from crawler.crawl.request_meta import HOPS, NOT_RENDERED, RENDERED
from crawler.extract.blocks import blocks_of
from crawler.extract.bounded import bounded
from crawler.extract.content_type import is_html
from crawler.extract.parsed_page import page_as_sent
from crawler.fetch.cookies import SessionMiddleware
from crawler.fetch.proxying import ProxyMiddleware
from crawler.fetch.rendering.guard_proxy import GuardProxy
from crawler.fetch.rendering.page import BrowserPage
from store.failures import failure
from store.messages import message

LONGEST = 200  # characters of what a browser says of a page that it could not render
HOLLOW = 100  # characters of text below which a page with scripts is taken for one that they fill


def hollow(html: str) -> bool:
    """Whether a page shows next to nothing while it has scripts that may fill it."""
    if "<script" not in html.lower():
        return False
    return sum(len(line.text) for line in blocks_of(LexborHTMLParser(bounded(html).replace("\0", ""))).lines) < HOLLOW


class RenderMiddleware:
    """Farthest from the server: it sees the page that all redirects have led to, in its charset."""

    def __init__(self, crawler: Crawler, job: CrawlJob) -> None:
        from crawler.fetch.rendering.provider import guarded_handler

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
        page = BrowserPage(response.url, html.encode(), self._job.max_body_bytes)
        try:
            async with asyncio.timeout(self._job.browser_seconds):
                rendered = await self._handler.download_request(self._request(page))
        except Exception as error:  # noqa: BLE001  whatever a page does to its browser, what was sent is kept
            request.meta[NOT_RENDERED] = message("page.not_rendered", reason=failure(error, LONGEST))
            return response
        finally:
            await page.end()
        if page.sent_on and hollow(rendered.text):
            return self._follow(page.sent_on, request) or response
        request.meta[RENDERED] = rendered.body
        return response

    def _request(self, page: BrowserPage) -> Request:
        from scrapy_playwright.page import PageMethod

        return Request(
            page.url,
            meta={
                "playwright": True,
                "playwright_context": "site",
                "playwright_context_kwargs": self._context(),
                "playwright_page_init_callback": page.prepare,
                "playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"},
                "playwright_page_methods": [PageMethod(page.settle)],
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
