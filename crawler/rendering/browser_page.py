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

from crawler.addresses import host_of, parse_address_port
from crawler.private_addresses import is_public_address
from crawler.rendering.browser import BROWSER_SWITCHES, DocumentToRender, browser_launcher, find_browser
from crawler.rendering.guard_proxy import GuardProxy
from wenhen.kit.errors import SetupError, TooLarge, Unreadable, failure

NETWORK_QUIET_SECONDS = 5.0  # seconds of waiting for a quiet network
TEXT_POLL_SECONDS = 0.25  # seconds between two measurements of the text's length
STABLE_MEASUREMENTS = 3  # equal measurements in a row that end the wait
MAX_PAGE_REQUESTS = 200
HEAVY_RESOURCE_TYPES = frozenset(("image", "media", "font", "texttrack", "manifest", "ping", "eventsource"))
JS_TEXT_LENGTH = "document.body ? document.body.innerText.length : 0"
JS_PAGE_LENGTH = "document.documentElement.outerHTML.length"


@dataclass
class BrowserPage:
    """A page in the browser. left_out: kinds of resources that are not fetched."""

    url: str
    document: bytes
    most: int  # characters of the rendered page
    content_type: str = "text/html; charset=utf-8"
    left_out: frozenset[str] = HEAVY_RESOURCE_TYPES
    sent_on: str | None = None  # the address that the page redirected to
    _document_given: bool = False
    _requests: int = 0
    _page: Any = field(default=None, repr=False)

    async def prepare(self, page: Any, _request: Request | None = None) -> None:
        """Route every request of the page through this object."""
        self._page = page
        await page.route("**/*", self._answer)

    async def _answer(self, route: Any) -> None:
        request = route.request
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            if not self._document_given:
                self._document_given = True
                await route.fulfill(status=200, headers={"content-type": self.content_type}, body=self.document)
                return
            self.sent_on = request.url
            await route.fulfill(status=204)  # keeps the page: an abort would show an error page
            return
        self._requests += 1
        heavy = request.resource_type in self.left_out or self._requests > MAX_PAGE_REQUESTS
        if heavy or host_of(request.url) is None:
            await route.abort()
        else:
            await route.continue_()

    async def settle(self, page: Any) -> None:
        """Wait until the network is quiet and the text stops growing."""
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
        """Close the page if it is open."""
        if self._page is not None and not self._page.is_closed():
            with suppress(Exception):  # a hanging page ends with its browser
                async with asyncio.timeout(NETWORK_QUIET_SECONDS):
                    await self._page.close()


# A captured page in a browser of its own.
#
# The document is the captured one. Its pictures and styles come from the web of today, through the guard proxy.


VIEWPORT_WIDTH, VIEWPORT_HEIGHT = 1280, 900
_MAX_REASON_CHARACTERS: Final = 200  # characters of an error message

View = TypeVar("View")


@dataclass(frozen=True, slots=True)
class OpenPage:
    """An open page: Playwright's page and context, and the version of the browser."""

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
    """Open a page and return the result of `look`. left_out: kinds of resources that are not fetched.

    Raise `SetupError` without a browser, `Unreadable` if the page breaks it, `TooLarge` beyond the bounds.
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
    """Resolves names by the rule of a crawl (`crawler.fetch.resolver`) without Twisted's reactor."""

    internal: bool
    host_map: Mapping[str, str]

    async def addresses(self, host: str, port: int) -> list[tuple[str, int]]:
        if self.internal and host.lower() in self.host_map:
            return [parse_address_port(self.host_map[host.lower()])]
        try:
            entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise CannotResolveHostError(host) from error
        places = [(str(place[0]), port) for *_, place in entries]
        allowed = [place for place in places if self.internal or is_public_address(str(ipaddress.ip_address(place[0])))]
        if not allowed:
            raise CannotResolveHostError(f"{host} has no address that may be asked")
        return allowed


# A page as its visitors see it: a full-page picture, and one file with all resources (MHTML).


MAX_SCREENSHOT_PIXELS: Final = 16_000  # pixels of Chromium's tallest picture
UNSEEN_RESOURCE_TYPES: Final = frozenset(("media", "texttrack", "manifest", "ping", "eventsource"))
_MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Screenshot:
    """A picture and an MHTML file of a page. cut: the page is taller than the picture."""

    png: bytes
    mhtml: bytes
    browser: str
    cut: bool


def take_screenshot(
    to_look_at: DocumentToRender, *, browser: str | None, seconds: float, most_bytes: int
) -> Screenshot:
    """Take a screenshot in a browser of its own. Raise the errors of `view_page`."""
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


# The visible text of a page.


_JS_VISIBLE_TEXT = "document.body ? document.body.innerText : ''"


def read_visible_text(to_look_at: DocumentToRender, *, browser: str | None, seconds: float, most_bytes: int) -> str:
    """Return the visible text, a line a paragraph. Raise the errors of `view_page`."""
    return view_page(
        to_look_at, _inner_text, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=HEAVY_RESOURCE_TYPES
    )


async def _inner_text(shown: OpenPage) -> str:
    return str(await shown.page.evaluate(_JS_VISIBLE_TEXT))
