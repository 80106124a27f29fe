"""What a visitor of a page reads: its text as a browser shows it."""

from crawler.fetch.rendering.browser_session import ShownPage, look_at
from crawler.fetch.rendering.page_to_look_at import PageToLookAt
from crawler.fetch.rendering.when_loaded import HEAVY

_TEXT = "document.body ? document.body.innerText : ''"


def visible_text(to_look_at: PageToLookAt, *, browser: str | None, seconds: float, most_bytes: int) -> str:
    """The text, a line each paragraph. Raises as `crawler.fetch.rendering.browser_session.look_at`."""
    return look_at(to_look_at, _read, browser=browser, seconds=seconds, most_bytes=most_bytes, left_out=HEAVY)


async def _read(shown: ShownPage) -> str:
    return str(await shown.page.evaluate(_TEXT))
