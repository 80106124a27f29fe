"""A page as a visitor would see it: a picture of the whole of it, and all that it is made of in one file (MHTML)."""

from dataclasses import dataclass
from functools import partial
from typing import Final

from crawler.fetch.rendering.browser_session import WIDTH, ShownPage, look_at
from crawler.fetch.rendering.page_to_look_at import PageToLookAt
from store.errors import TooLarge

TALLEST: Final = 16_000  # pixels that Chromium paints in one picture
UNSEEN: Final = frozenset(("media", "texttrack", "manifest", "ping", "eventsource"))
_MEBIBYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """cut: the page is taller than a picture can be."""

    png: bytes
    mhtml: bytes
    browser: str
    cut: bool


def picture(to_look_at: PageToLookAt, *, browser: str | None, seconds: float, most_bytes: int) -> Picture:
    """Take it, in a browser that is started for it. Raises as `crawler.fetch.rendering.browser_session.look_at`."""
    taken = partial(_taken, most_bytes=most_bytes)
    return look_at(to_look_at, taken, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=UNSEEN)


async def _taken(shown: ShownPage, *, most_bytes: int) -> Picture:
    height = int(await shown.page.evaluate("document.documentElement.scrollHeight"))
    part = {"x": 0, "y": 0, "width": WIDTH, "height": max(1, min(height, TALLEST))}
    png = await shown.page.screenshot(full_page=True, clip=part, animations="disabled")
    session = await shown.context.new_cdp_session(shown.page)
    mhtml = (await session.send("Page.captureSnapshot", {"format": "mhtml"}))["data"].encode()
    if len(png) + len(mhtml) > most_bytes:
        raise TooLarge("page.picture_too_large", most=most_bytes // _MEBIBYTE)
    return Picture(png=png, mhtml=mhtml, browser=shown.browser, cut=height > TALLEST)
