"""What a visitor of a page reads: its text as a browser shows it."""

from crawler.fetch.rendering.browser_session import SatPage, sit
from crawler.fetch.rendering.page import HEAVY
from crawler.fetch.rendering.sitter import Sitter

_TEXT = "document.body ? document.body.innerText : ''"


def visible_text(sitter: Sitter, *, browser: str | None, seconds: float, most_bytes: int) -> str:
    """The text, a line each paragraph. Raises as `crawler.fetch.rendering.browser_session.sit`."""
    return sit(sitter, _read, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=HEAVY)


async def _read(shown: SatPage) -> str:
    return str(await shown.page.evaluate(_TEXT))
