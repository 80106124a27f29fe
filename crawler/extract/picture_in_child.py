"""A picture read, or framed, in a child process with bounds."""

from collections.abc import Collection, Iterator, Sequence

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read, read_each
from store.errors import Unreadable
from store.records import Box, PictureLine, PictureText

BOUNDS = ReadingBounds(seconds=180, memory=2_000, output=16)  # a chapter in one picture takes half a minute
SCAN_BOUNDS = ReadingBounds(seconds=1_800, memory=2_000, output=16)  # of all pages together
FRAME_BOUNDS = ReadingBounds(seconds=20, memory=1_500, output=64)


def read_picture(content: bytes, id: str) -> PictureText:
    """What is written in a picture, or why it cannot be read."""
    try:
        lines: tuple[PictureLine, ...] = read(
            "crawler.extract.pictures.character_recognition:lines_in", content, bounds=BOUNDS
        )
    except Unreadable as error:
        return PictureText(id=id, problem=error.message)
    return PictureText(id=id, lines=lines)


def read_scans(document: bytes, id: str, known: Collection[int]) -> Iterator[PictureText]:
    """As `crawler.extract.files.scanned_pages.read_scans`. Raises `Unreadable`."""
    yield from read_each(
        "crawler.extract.files.scanned_pages:read_scans", document, id, tuple(known), bounds=SCAN_BOUNDS
    )


def framed_picture(content: bytes, boxes: Sequence[Box]) -> bytes:
    """As `crawler.extract.pictures.framing.framed`. Raises `Unreadable`."""
    found: bytes = read("crawler.extract.pictures.framing:framed", content, tuple(boxes), bounds=FRAME_BOUNDS)
    return found


def framed_scan(document: bytes, number: int, boxes: Sequence[Box]) -> bytes:
    """As `crawler.extract.files.scanned_pages.framed_scan`. Raises `Unreadable`."""
    function = "crawler.extract.files.scanned_pages:framed_scan"
    found: bytes = read(function, document, number, tuple(boxes), bounds=FRAME_BOUNDS)
    return found
