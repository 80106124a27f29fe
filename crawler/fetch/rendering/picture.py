"""A page as a visitor would see it: a picture of the whole of it, and all that it is made of in one file (MHTML).

The document is the one that was captured; its pictures and styles come from the web, through the guard, as they are
when the picture is taken.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scrapy.exceptions import CannotResolveHostError

from crawler.crawl.hosts import parse_target
from crawler.fetch.public_address import is_public
from crawler.fetch.rendering.browser import SWITCHES, find_browser, started_by
from crawler.fetch.rendering.guard_proxy import GuardProxy
from crawler.fetch.rendering.page import BrowserPage
from store.errors import SetupError, TooLarge, Unreadable
from store.failures import failure

WIDTH, HEIGHT = 1280, 900
TALLEST: Final = 16_000  # pixels that Chromium paints in one picture
UNSEEN: Final = frozenset(("media", "texttrack", "manifest", "ping", "eventsource"))
_TOLD: Final = 200  # characters of what went wrong
_MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitter:
    """What is pictured. document: as captured; content_type: as its server told it. internal: it may lie in a private
    network; host_map: as in `CrawlJob`.
    """

    url: str
    document: bytes
    content_type: str
    user_agent: str
    internal: bool = False
    host_map: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """cut: the page is taller than a picture can be."""

    png: bytes
    mhtml: bytes
    browser: str
    cut: bool


def picture(sitter: Sitter, *, browser: str | None, seconds: float, most_bytes: int) -> Picture:
    """Take it, in a browser that is started for it. Raises `SetupError` where there is none, `Unreadable` where the
    page does something to it, `TooLarge`.
    """
    program = find_browser(browser)
    try:
        return asyncio.run(_taken(sitter, program, seconds, most_bytes))
    except (SetupError, TooLarge):
        raise
    except Exception as error:  # whatever a page does to its browser
        raise Unreadable("page.not_rendered", reason=failure(error, _TOLD)) from error


async def _taken(sitter: Sitter, program: str, seconds: float, most_bytes: int) -> Picture:
    from playwright.async_api import async_playwright

    guard = GuardProxy(most_bytes, seconds * 2, find=_Finder(sitter.internal, sitter.host_map).addresses)
    async with asyncio.timeout(seconds * 3), async_playwright() as playwright:
        address = await guard.start()
        try:
            browser = await playwright.chromium.launch(
                executable_path=started_by(program),
                chromium_sandbox=True,
                args=list(SWITCHES),
                proxy={"server": address, "bypass": "<-loopback>"},
            )
            async with browser:
                return await _pictured(browser, sitter, most_bytes)
        finally:
            guard.stop()


async def _pictured(browser: Any, sitter: Sitter, most_bytes: int) -> Picture:
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        user_agent=sitter.user_agent,
        locale="zh-CN",
        service_workers="block",
        accept_downloads=False,
        ignore_https_errors=True,
    )
    shown = BrowserPage(sitter.url, sitter.document, most_bytes, content_type=sitter.content_type, left_out=UNSEEN)
    page = await context.new_page()
    await shown.prepare(page)
    await page.goto(sitter.url, wait_until="domcontentloaded")
    await shown.settle(page)
    height = int(await page.evaluate("document.documentElement.scrollHeight"))
    part = {"x": 0, "y": 0, "width": WIDTH, "height": max(1, min(height, TALLEST))}
    png = await page.screenshot(full_page=True, clip=part, animations="disabled")
    session = await context.new_cdp_session(page)
    mhtml = (await session.send("Page.captureSnapshot", {"format": "mhtml"}))["data"].encode()
    if len(png) + len(mhtml) > most_bytes:
        raise TooLarge("page.picture_too_large", most=most_bytes // _MEBIBYTE)
    return Picture(png=png, mhtml=mhtml, browser=browser.version, cut=height > TALLEST)


@dataclass(frozen=True, slots=True)
class _Finder:
    """Names to addresses by the rule of a crawl (`crawler.fetch.resolver`), without Twisted's reactor."""

    internal: bool
    host_map: Mapping[str, str]

    async def addresses(self, host: str, port: int) -> list[tuple[str, int]]:
        if self.internal and host.lower() in self.host_map:
            return [parse_target(self.host_map[host.lower()])]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise CannotResolveHostError(host) from error
        places = [(str(place[0]), port) for *_, place in found]
        allowed = [one for one in places if self.internal or is_public(str(ipaddress.ip_address(one[0])))]
        if not allowed:
            raise CannotResolveHostError(f"{host} has no address that may be asked")
        return allowed
