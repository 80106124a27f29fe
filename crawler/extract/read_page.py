"""A page read in a child process with bounds: by what the pipeline, the screens and the commands read any page."""

from collections.abc import Sequence

from crawler.extract.page import ExtractedPage
from crawler.isolated.bounds import ReadingBounds
from crawler.isolated.child import read

# The largest and worst of real pages take a second and 300 MB.
BOUNDS = ReadingBounds(seconds=20, memory=1_500, output=128)


def read_page(body: bytes, headers: Sequence[tuple[str, str]], url: str) -> ExtractedPage:
    """As `crawler.extract.page.extract`. Raises `Unreadable` for a page that goes beyond the bounds."""
    page: ExtractedPage = read("crawler.extract.page:extract", body, tuple(headers), url, bounds=BOUNDS)
    return page


def read_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """As `crawler.extract.whole_text.whole_text`. Raises `Unreadable`."""
    text: str = read("crawler.extract.whole_text:whole_text", body, tuple(headers), bounds=BOUNDS)
    return text
