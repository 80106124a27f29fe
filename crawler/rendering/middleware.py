"""Render pages whose text exists only after their scripts have run.

The server's page is fetched and archived like any other, and the browser gets it as its document. So the page is
requested once, and a capture holds both under their names.
"""

import asyncio
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response, TextResponse

from crawler.context import META_HOPS, META_NOT_RENDERED, META_RENDERED, context_of
from crawler.extraction.appearance import (
    MAX_CLIPPED_PIXELS,
    MIN_ALPHA,
    MIN_CONTRAST,
    MIN_TEXT_PIXELS,
)
from crawler.extraction.page_lines import is_empty_until_scripts
from crawler.extraction.parsing import parse_response
from crawler.fetch.headers import SessionMiddleware
from crawler.fetch.proxies import ProxyMiddleware
from crawler.job import CrawlJob, RenderMode
from crawler.rendering.browser_page import BrowserPage
from crawler.rendering.guard_proxy import GuardProxy
from crawler.warc.responses import is_html_response
from wenhen.kit.errors import failure, message

MAX_LOOKED_AT_ELEMENTS = 20_000  # elements between words
# Examines elements between words that hold only words. Styles of sheets and scripts are known only in the browser.
# Invisible elements get `visibility: hidden`, which changes nothing visible.
_JS_HIDE_UNSEEN_WORDS = """
limits => {
  const isText = node => node && node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
  const colorOf = written => {
    const parts = (written.match(/[\\d.]+/g) || []).map(Number);
    return written.startsWith('rgb') && parts.length >= 3 ? [...parts.slice(0, 3), parts[3] ?? 1] : null;
  };
  const luminance = color => {
    const [r, g, b] = color.slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const groundOf = element => {
    for (let above = element; above; above = above.parentElement) {
      const style = getComputedStyle(above);
      if (style.backgroundImage !== 'none') return null;
      const color = colorOf(style.backgroundColor);
      if (color && color[3] > 0.5) return color;
    }
    return [255, 255, 255, 1];
  };
  const hasInk = (style, element) => {
    const ink = colorOf(style.webkitTextFillColor) || colorOf(style.color);
    if (!ink || style.backgroundClip.includes('text')) return true;
    if (ink[3] < limits.alpha) return false;
    const ground = groundOf(element);
    return !ground || contrast(ink, ground) >= limits.contrast;
  };
  const hasRoom = (style, element) => {
    const box = element.getBoundingClientRect();
    const clips = style.overflow !== 'visible' && style.display !== 'inline';
    if (clips && (box.width <= limits.clipped || box.height <= limits.clipped)) return false;
    return box.width > 0 && box.height > 0 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  const isSeen = element => {
    const style = getComputedStyle(element);
    return element.checkVisibility({visibilityProperty: true}) && Number(style.opacity) >= limits.alpha
      && parseFloat(style.fontSize) >= limits.size && hasRoom(style, element) && hasInk(style, element);
  };
  const unseen = [];
  let left = limits.elements;
  for (const element of document.body ? document.body.querySelectorAll(':not(:has(*))') : []) {
    if (!element.style || !element.textContent.trim()) continue;
    if (!isText(element.previousSibling) && !isText(element.nextSibling)) continue;
    if (left-- <= 0) break;
    if (!isSeen(element)) unseen.push(element);
  }
  unseen.forEach(element => element.style.setProperty('visibility', 'hidden', 'important'));
  return unseen.length;
}
"""


async def hide_unseen_words(page: Any) -> int:
    """Hide invisible words in Playwright's page, and return the number of their elements."""
    return int(
        await page.evaluate(
            _JS_HIDE_UNSEEN_WORDS,
            {
                "alpha": MIN_ALPHA,
                "contrast": MIN_CONTRAST,
                "size": MIN_TEXT_PIXELS,
                "clipped": MAX_CLIPPED_PIXELS,
                "elements": MAX_LOOKED_AT_ELEMENTS,
            },
        )
    )


MAX_RENDER_ERROR_CHARACTERS = 200  # characters of a browser's error message


class RenderMiddleware:
    """Stands farthest from the server: it sees the page after all redirects, in its charset.

    The browser starts with the first page that needs it, because most crawls need none.
    """

    def __init__(self, crawler: Crawler, job: CrawlJob) -> None:
        self._crawler = crawler
        self._job = job
        self._guard = GuardProxy(job.max_body_bytes, job.browser_seconds * 2)
        self._start = asyncio.Lock()
        self._handler: Any = None
        self.learns = job.render is RenderMode.LEARN
        self.fills = job.render in (RenderMode.LEARN, RenderMode.EMPTY)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "RenderMiddleware":
        """Scrapy's constructor."""
        job = context_of(crawler).job
        if job.render is RenderMode.NEVER:
            raise NotConfigured
        middleware = cls(crawler, job)
        crawler.signals.connect(middleware.end, signals.spider_closed)
        return middleware

    async def end(self) -> None:
        """Stop the browser."""
        if self._handler is not None:
            await self._handler.close()

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """Add the rendered page to the meta, or the reason why rendering failed."""
        if self.learns or META_HOPS not in request.meta or response.status != 200 or not is_html_response(response):
            return response
        html = parse_response(response).text
        if self._job.render is RenderMode.EMPTY and not is_empty_until_scripts(html):
            return response
        page = BrowserPage(response.url, html.encode(), self._job.max_body_bytes)
        try:
            rendered = await self._show(page)
        except Exception as error:  # noqa: BLE001  the received page is stored, whatever the page does to its browser
            request.meta[META_NOT_RENDERED] = message(
                "page.not_rendered", reason=failure(error, MAX_RENDER_ERROR_CHARACTERS)
            )
            return response
        if page.sent_on and is_empty_until_scripts(rendered.text):
            return self._follow(page.sent_on, request) or response
        request.meta[META_RENDERED] = rendered.body
        return response

    async def render_page(self, response: Response) -> bytes | None:
        """Return the rendered page in UTF-8, or None if rendering failed."""
        page = BrowserPage(response.url, parse_response(response).text.encode(), self._job.max_body_bytes)
        try:
            return bytes((await self._show(page)).body)
        except Exception:  # noqa: BLE001  the same, and the rendering was only a trial
            return None

    async def _show(self, page: BrowserPage) -> TextResponse:
        if proxies := self._crawler.get_downloader_middleware(ProxyMiddleware):
            self._guard.onward = proxies.pool
        try:
            handler = await self._start_handler()
            async with asyncio.timeout(self._job.browser_seconds):
                shown: TextResponse = await handler.download_request(self._request(page))
        finally:
            await page.end()
        return shown

    async def _start_handler(self) -> Any:
        from crawler.rendering.guarded_browser import start_guarded_handler

        async with self._start:
            if self._handler is None:
                self._handler = await start_guarded_handler(self._crawler, self._guard)
        return self._handler

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
                "playwright_page_methods": [PageMethod(page.settle), PageMethod(hide_unseen_words)],
            },
        )

    def _context(self) -> dict[str, Any]:
        """Return the identity of the crawl for the browser: name, languages, session."""
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
            "storage_state": {"cookies": [_browser_cookie(cookie) for cookie in session.present()] if session else []},
        }

    def _follow(self, url: str, request: Request) -> Request | None:
        """Return the request for a script's redirect."""
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


def _browser_cookie(cookie: Any) -> dict[str, Any]:
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
