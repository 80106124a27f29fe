"""Load one page in a browser, wait for its scripts, and take its screenshot or text."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from scrapy import Request
from scrapy.exceptions import CannotResolveHostError

from crawler.addresses import host_of, is_public_address, parse_address_port
from crawler.rendering.browser import BROWSER_SWITCHES, DocumentToRender, browser_launcher, find_browser
from crawler.rendering.guard_proxy import GuardProxy
from wenhen.kit.errors import SetupError, TooLarge, Unreadable, failure

NETWORK_QUIET_SECONDS = 5.0  # seconds that the network may take to fall quiet
TEXT_POLL_SECONDS = 0.25  # seconds between two measurements of how long the text is
STABLE_MEASUREMENTS = 3  # in a row, and the page is done
MAX_PAGE_REQUESTS = 200  # of one page
HEAVY_RESOURCE_TYPES = frozenset(("image", "media", "font", "texttrack", "manifest", "ping", "eventsource"))
JS_TEXT_LENGTH = "document.body ? document.body.innerText.length : 0"
JS_PAGE_LENGTH = "document.documentElement.outerHTML.length"


@dataclass
class BrowserPage:
    """One page in the browser. left_out: kinds of what it is made of that are not fetched."""

    url: str
    document: bytes
    most: int  # characters that the page may have in the end
    content_type: str = "text/html; charset=utf-8"
    left_out: frozenset[str] = HEAVY_RESOURCE_TYPES
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
        heavy = asked.resource_type in self.left_out or self._requests > MAX_PAGE_REQUESTS
        if heavy or host_of(asked.url) is None:
            await route.abort()
        else:
            await route.continue_()

    async def settle(self, page: Any) -> None:
        """Return when the page seems to be done: the network is quiet, and the text grows no more."""
        from playwright.async_api import TimeoutError as StillBusy

        with suppress(StillBusy):
            await page.wait_for_load_state("networkidle", timeout=NETWORK_QUIET_SECONDS * 1000)
        lengths: list[int] = []
        while len(lengths) < STABLE_MEASUREMENTS or len(set(lengths[-STABLE_MEASUREMENTS:])) > 1:
            lengths.append(await page.evaluate(JS_TEXT_LENGTH))
            await asyncio.sleep(TEXT_POLL_SECONDS)
        if await page.evaluate(JS_PAGE_LENGTH) > self.most:
            raise TooLarge("page.rendered_too_large")

    async def end(self) -> None:
        """Close the page, if it is still open."""
        if self._page is not None and not self._page.is_closed():
            with suppress(Exception):  # a page that hangs is closed with its browser
                async with asyncio.timeout(NETWORK_QUIET_SECONDS):
                    await self._page.close()


# A captured page in a browser that is started for it, looked at in one way or another.
#
# The document is the one that was captured; its pictures and styles come from the web, through the guard, as they are
# when it is looked at.


VIEWPORT_WIDTH, VIEWPORT_HEIGHT = 1280, 900
_MAX_REASON_CHARACTERS: Final = 200  # characters of what went wrong

View = TypeVar("View")


@dataclass(frozen=True, slots=True)
class OpenPage:
    """A page that is shown, and what shows it: Playwright's page and context, and the version of the browser."""

    page: Any
    context: Any
    browser: str


def view_page(
    to_look_at: DocumentToRender,
    look: Callable[[OpenPage], Awaitable[View]],
    *,
    browser: str | None,
    seconds: float,
    most_bytes: int,
    left_out: frozenset[str],
) -> View:
    """What `look` makes of it. left_out: kinds of what it is made of that are not fetched. Raises `SetupError` where
    there is no browser, `Unreadable` where the page does something to it, `TooLarge`.
    """
    program = find_browser(browser)
    try:
        return asyncio.run(_view_in_browser(to_look_at, look, program, seconds, most_bytes, left_out))
    except (SetupError, TooLarge):
        raise
    except Exception as error:  # whatever a page does to its browser
        raise Unreadable("page.not_rendered", reason=failure(error, _MAX_REASON_CHARACTERS)) from error


async def _view_in_browser(
    to_look_at: DocumentToRender,
    look: Callable[[OpenPage], Awaitable[View]],
    program: str,
    seconds: float,
    most_bytes: int,
    left_out: frozenset[str],
) -> View:
    from playwright.async_api import async_playwright

    guard = GuardProxy(most_bytes, seconds * 2, find=_AddressFinder(to_look_at.internal, to_look_at.host_map).addresses)
    async with asyncio.timeout(seconds * 3), async_playwright() as playwright:
        address = await guard.start()
        try:
            browser = await playwright.chromium.launch(
                executable_path=browser_launcher(program),
                chromium_sandbox=True,
                args=list(BROWSER_SWITCHES),
                proxy={"server": address, "bypass": "<-loopback>"},
            )
            async with browser:
                return await look(await _open_page(browser, to_look_at, most_bytes, left_out))
        finally:
            guard.stop()


async def _open_page(browser: Any, to_look_at: DocumentToRender, most_bytes: int, left_out: frozenset[str]) -> OpenPage:
    context = await browser.new_context(
        viewport={"width": VIEWPORT_WIDTH, "height": VIEWPORT_HEIGHT},
        user_agent=to_look_at.user_agent,
        locale="zh-CN",
        service_workers="block",
        accept_downloads=False,
        ignore_https_errors=True,
    )
    shown = BrowserPage(
        to_look_at.url, to_look_at.document, most_bytes, content_type=to_look_at.content_type, left_out=left_out
    )
    page = await context.new_page()
    await shown.prepare(page)
    await page.goto(to_look_at.url, wait_until="domcontentloaded")
    await shown.settle(page)
    return OpenPage(page, context, browser.version)


@dataclass(frozen=True, slots=True)
class _AddressFinder:
    """Names to addresses by the rule of a crawl (`crawler.fetch.resolver`), without Twisted's reactor."""

    internal: bool
    host_map: Mapping[str, str]

    async def addresses(self, host: str, port: int) -> list[tuple[str, int]]:
        if self.internal and host.lower() in self.host_map:
            return [parse_address_port(self.host_map[host.lower()])]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise CannotResolveHostError(host) from error
        places = [(str(place[0]), port) for *_, place in found]
        allowed = [one for one in places if self.internal or is_public_address(str(ipaddress.ip_address(one[0])))]
        if not allowed:
            raise CannotResolveHostError(f"{host} has no address that may be asked")
        return allowed


# A page as a visitor would see it: a picture of the whole of it, and all that it is made of in one file (MHTML).


MAX_SCREENSHOT_PIXELS: Final = 16_000  # pixels that Chromium paints in one picture
UNSEEN_RESOURCE_TYPES: Final = frozenset(("media", "texttrack", "manifest", "ping", "eventsource"))
_MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Screenshot:
    """cut: the page is taller than a picture can be."""

    png: bytes
    mhtml: bytes
    browser: str
    cut: bool


def take_screenshot(
    to_look_at: DocumentToRender, *, browser: str | None, seconds: float, most_bytes: int
) -> Screenshot:
    """Take it, in a browser that is started for it. Raises as `crawler.rendering.browser_page.view_page`."""
    taken = partial(_take_open_page, most_bytes=most_bytes)
    return view_page(
        to_look_at, taken, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=UNSEEN_RESOURCE_TYPES
    )


async def _take_open_page(shown: OpenPage, *, most_bytes: int) -> Screenshot:
    height = int(await shown.page.evaluate("document.documentElement.scrollHeight"))
    part = {"x": 0, "y": 0, "width": VIEWPORT_WIDTH, "height": max(1, min(height, MAX_SCREENSHOT_PIXELS))}
    png = await shown.page.screenshot(full_page=True, clip=part, animations="disabled")
    session = await shown.context.new_cdp_session(shown.page)
    mhtml = (await session.send("Page.captureSnapshot", {"format": "mhtml"}))["data"].encode()
    if len(png) + len(mhtml) > most_bytes:
        raise TooLarge("page.picture_too_large", most=most_bytes // _MEBIBYTE)
    return Screenshot(png=png, mhtml=mhtml, browser=shown.browser, cut=height > MAX_SCREENSHOT_PIXELS)


# What a visitor of a page reads: its text as a browser shows it.


_JS_VISIBLE_TEXT = "document.body ? document.body.innerText : ''"


def read_visible_text(to_look_at: DocumentToRender, *, browser: str | None, seconds: float, most_bytes: int) -> str:
    """The text, a line each paragraph. Raises as `crawler.rendering.browser_page.view_page`."""
    return view_page(
        to_look_at, _inner_text, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=HEAVY_RESOURCE_TYPES
    )


async def _inner_text(shown: OpenPage) -> str:
    return str(await shown.page.evaluate(_JS_VISIBLE_TEXT))
