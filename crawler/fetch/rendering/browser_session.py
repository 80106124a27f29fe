"""A captured page in a browser that is started for it, looked at in one way or another.

The document is the one that was captured; its pictures and styles come from the web, through the guard, as they are
when it is looked at.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from scrapy.exceptions import CannotResolveHostError

from crawler.crawl.host_names import parse_target
from crawler.fetch.public_address import is_public
from crawler.fetch.rendering.browser import SWITCHES, find_browser, started_by
from crawler.fetch.rendering.guard_proxy import GuardProxy
from crawler.fetch.rendering.page_to_look_at import PageToLookAt
from crawler.fetch.rendering.when_loaded import BrowserPage
from store.errors import SetupError, TooLarge, Unreadable
from store.failures import failure

WIDTH, HEIGHT = 1280, 900
_TOLD: Final = 200  # characters of what went wrong

Seen = TypeVar("Seen")


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page that is shown, and what shows it: Playwright's page and context, and the version of the browser."""

    page: Any
    context: Any
    browser: str


def look_at(
    to_look_at: PageToLookAt,
    look: Callable[[ShownPage], Awaitable[Seen]],
    *,
    browser: str | None,
    seconds: float,
    most_bytes: int,
    left_out: frozenset[str],
) -> Seen:
    """What `look` makes of it. left_out: kinds of what it is made of that are not fetched. Raises `SetupError` where
    there is no browser, `Unreadable` where the page does something to it, `TooLarge`.
    """
    program = find_browser(browser)
    try:
        return asyncio.run(_seen(to_look_at, look, program, seconds, most_bytes, left_out))
    except (SetupError, TooLarge):
        raise
    except Exception as error:  # whatever a page does to its browser
        raise Unreadable("page.not_rendered", reason=failure(error, _TOLD)) from error


async def _seen(
    to_look_at: PageToLookAt,
    look: Callable[[ShownPage], Awaitable[Seen]],
    program: str,
    seconds: float,
    most_bytes: int,
    left_out: frozenset[str],
) -> Seen:
    from playwright.async_api import async_playwright

    guard = GuardProxy(most_bytes, seconds * 2, find=_Finder(to_look_at.internal, to_look_at.host_map).addresses)
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
                return await look(await _shown(browser, to_look_at, most_bytes, left_out))
        finally:
            guard.stop()


async def _shown(browser: Any, to_look_at: PageToLookAt, most_bytes: int, left_out: frozenset[str]) -> ShownPage:
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
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
    return ShownPage(page, context, browser.version)


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
