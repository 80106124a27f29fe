"""A page read in a child process with bounds: by what the pipeline, the screens and the commands read any page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.files.file_kinds import file_kind
from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from store.records import PictureText, SiteContact

if TYPE_CHECKING:  # the child alone needs what reads fonts, files and posts
    from crawler.extract.decipher import Deciphered
    from crawler.extract.posts.holds_posts import ThreadPage
    from crawler.extract.posts.post import PlacedPost
    from crawler.extract.unmatched import Unmatched

# The largest and worst of real pages take a second and 300 MB; books of a thousand pages several.
BOUNDS = ReadingBounds(seconds=30, memory=1_500, output=128)
FILE_BOUNDS = ReadingBounds(seconds=180, memory=1_500, output=128)  # pictures take a second or two each


def read_page(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """As `crawler.extract.any_page.extract_any`. Raises `Unreadable` for one that goes beyond the bounds, too."""
    bounds = BOUNDS if file_kind(body, headers, url) is None else FILE_BOUNDS
    page: ExtractedPage = read(
        "crawler.extract.any_page:extract_any",
        body,
        tuple(headers),
        url,
        pictures,
        text_at,
        tuple(styles),
        bounds=bounds,
    )
    return page


def read_deciphered(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    known: Mapping[str, Mapping[str, str]],
    font: Path,
    linked: Sequence[bytes] = (),
    text_at: str | None = None,
) -> "Deciphered":
    """As `crawler.extract.decipher.decipher`. Raises `Unreadable`."""
    arguments = (body, tuple(headers), url, known, font, tuple(linked), text_at)
    found: Deciphered = read("crawler.extract.decipher:decipher", *arguments, bounds=BOUNDS)
    return found


def read_posts(pages: Sequence["ThreadPage"], text: str) -> "tuple[PlacedPost, ...]":
    """As `crawler.extract.posts.thread.posts_in_text`. Raises `Unreadable`."""
    found: tuple[PlacedPost, ...] = read("crawler.extract.posts.thread:posts_in_text", pages, text, bounds=BOUNDS)
    return found


def read_unmatched(body: bytes, headers: Sequence[tuple[str, str]], url: str, text: str) -> "list[Unmatched]":
    """As `crawler.extract.unmatched.unmatched`. Raises `Unreadable`."""
    found: list[Unmatched] = read("crawler.extract.unmatched:unmatched", body, tuple(headers), url, text, bounds=BOUNDS)
    return found


def read_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """As `crawler.extract.whole_text.whole_text`. Raises `Unreadable`."""
    text: str = read("crawler.extract.whole_text:whole_text", body, tuple(headers), bounds=BOUNDS)
    return text


def read_imprint(body: bytes, headers: Sequence[tuple[str, str]]) -> tuple[SiteContact, ...]:
    """As `crawler.extract.imprint.imprint_text.imprint`. Raises `Unreadable`."""
    said: tuple[SiteContact, ...] = read(
        "crawler.extract.imprint.imprint_text:imprint", body, tuple(headers), bounds=BOUNDS
    )
    return said
