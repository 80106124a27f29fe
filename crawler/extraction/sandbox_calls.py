"""Call extraction in the sandbox. Parent processes import this module instead of the parsers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from crawler.extraction.documents.file_kinds import detect_response_kind
from crawler.extraction.model import (
    Box,
    DecipheredPage,
    DroppedText,
    ExtractedPage,
    PictureLine,
    PictureText,
    PlacedPost,
    SiteContact,
    ThreadPage,
)
from crawler.sandbox.pool import read_each_in_child, read_in_child, read_many_in_child
from wenhen.kit.errors import Unreadable, WenhenError
from wenhen.kit.size_and_time_limits import FILE_BOUNDS, FRAME_BOUNDS, PAGE_BOUNDS, PICTURE_BOUNDS, SCAN_BOUNDS

# The pipeline, the screens and the commands read every page in a child process with limits.


def read_page(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    pictures: Mapping[str, PictureText] | None = None,
    text_at: str | None = None,
    styles: Sequence[str] = (),
) -> ExtractedPage:
    """Call `crawler.extraction.page.extract_page` in the sandbox. Raises `Unreadable` also beyond the limits."""
    bounds = PAGE_BOUNDS if detect_response_kind(body, headers, url) is None else FILE_BOUNDS
    page: ExtractedPage = read_in_child(
        "crawler.extraction.page:extract_page",
        body,
        tuple(headers),
        url,
        pictures,
        text_at,
        tuple(styles),
        bounds=bounds,
    )
    return page


class PageToRead(NamedTuple):
    """The arguments of `read_page`."""

    body: bytes
    headers: tuple[tuple[str, str], ...]
    url: str
    pictures: Mapping[str, PictureText] | None = None
    text_at: str | None = None
    styles: tuple[str, ...] = ()


def read_pages(pages: Sequence[PageToRead]) -> list[ExtractedPage | WenhenError]:
    """Return what `read_page` returns or raises for each of many pages, at a lower cost."""
    kinds = [detect_response_kind(page.body, page.headers, page.url) for page in pages]
    plain = read_many_in_child(
        "crawler.extraction.page:extract_page",
        [page for page, kind in zip(pages, kinds, strict=True) if kind is None],
        PAGE_BOUNDS,
    )
    return [next(plain) if kind is None else _read_file(page) for page, kind in zip(pages, kinds, strict=True)]


def _read_file(page: PageToRead) -> ExtractedPage | WenhenError:
    try:
        return read_page(*page)
    except WenhenError as error:
        return error


def read_deciphered_page(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    known: Mapping[str, Mapping[str, str]],
    font: Path,
    linked: Sequence[bytes] = (),
    text_at: str | None = None,
) -> DecipheredPage:
    """Call `crawler.extraction.font_deobfuscation.decipher_page` in the sandbox. Raises `Unreadable`."""
    arguments = (body, tuple(headers), url, known, font, tuple(linked), text_at)
    deciphered_page: DecipheredPage = read_in_child(
        "crawler.extraction.font_deobfuscation:decipher_page", *arguments, bounds=PAGE_BOUNDS
    )
    return deciphered_page


def read_posts(pages: Sequence[ThreadPage], text: str) -> tuple[PlacedPost, ...]:
    """Call `crawler.extraction.posts.thread.extract_thread_posts` in the sandbox. Raises `Unreadable`."""
    placed_posts: tuple[PlacedPost, ...] = read_in_child(
        "crawler.extraction.posts.thread:extract_thread_posts", pages, text, bounds=PAGE_BOUNDS
    )
    return placed_posts


def read_dropped_text(body: bytes, headers: Sequence[tuple[str, str]], url: str, text: str) -> list[DroppedText]:
    """Call `crawler.extraction.dropped_text.find_dropped_text` in the sandbox. Raises `Unreadable`."""
    dropped_texts: list[DroppedText] = read_in_child(
        "crawler.extraction.dropped_text:find_dropped_text", body, tuple(headers), url, text, bounds=PAGE_BOUNDS
    )
    return dropped_texts


def read_dropped_share(body: bytes, headers: Sequence[tuple[str, str]], text: str) -> float:
    """Call `crawler.extraction.dropped_text.measure_dropped_prose` in the sandbox. Raises `Unreadable`."""
    share: float = read_in_child(
        "crawler.extraction.dropped_text:measure_dropped_prose", body, tuple(headers), text, bounds=PAGE_BOUNDS
    )
    return share


def read_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """Call `crawler.extraction.parsing.extract_whole_text` in the sandbox. Raises `Unreadable`."""
    text: str = read_in_child("crawler.extraction.parsing:extract_whole_text", body, tuple(headers), bounds=PAGE_BOUNDS)
    return text


def read_imprint(body: bytes, headers: Sequence[tuple[str, str]]) -> tuple[SiteContact, ...]:
    """Call `crawler.extraction.imprint.extract_imprint` in the sandbox. Raises `Unreadable`."""
    contacts: tuple[SiteContact, ...] = read_in_child(
        "crawler.extraction.imprint:extract_imprint", body, tuple(headers), bounds=PAGE_BOUNDS
    )
    return contacts


def read_picture(content: bytes, id: str) -> PictureText:
    """Return the recognized text of a picture, or why it cannot be read."""
    try:
        lines: tuple[PictureLine, ...] = read_in_child(
            "crawler.extraction.ocr:recognize_picture", content, bounds=PICTURE_BOUNDS
        )
    except Unreadable as error:
        return PictureText(id=id, problem=error.message)
    return PictureText(id=id, lines=lines)


def read_scans(document: bytes, id: str, known: Collection[int]) -> Iterator[PictureText]:
    """Call `crawler.extraction.documents.pdf.recognize_scans` in the sandbox. Raises `Unreadable`."""
    yield from read_each_in_child(
        "crawler.extraction.documents.pdf:recognize_scans", document, id, tuple(known), bounds=SCAN_BOUNDS
    )


def render_framed_picture(content: bytes, boxes: Sequence[Box]) -> bytes:
    """Call `crawler.extraction.ocr.frame_picture` in the sandbox. Raises `Unreadable`."""
    framed: bytes = read_in_child("crawler.extraction.ocr:frame_picture", content, tuple(boxes), bounds=FRAME_BOUNDS)
    return framed


def render_framed_scan(document: bytes, number: int, boxes: Sequence[Box]) -> bytes:
    """Call `crawler.extraction.documents.pdf.frame_scan` in the sandbox. Raises `Unreadable`."""
    function = "crawler.extraction.documents.pdf:frame_scan"
    framed: bytes = read_in_child(function, document, number, tuple(boxes), bounds=FRAME_BOUNDS)
    return framed
