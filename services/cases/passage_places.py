"""Where a passage of a page stands: on which page of its file, in which chapter; in which of its pictures, and where
in that.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.files.document import PartKind, TextPlace, place_at
from crawler.extract.files.file_kinds import FileKind, file_kind
from crawler.extract.picture_in_child import framed_picture, framed_scan
from crawler.extract.read_page import read_page
from pipeline.pages.read_pictures import fetched_with, pictures_of, styles_of
from services.context import Product
from store.errors import NotFound, Unreadable
from store.records import Case, Passage

if TYPE_CHECKING:  # it stands beside what reads
    from crawler.extract.pictures.pictures_in_text import PicturePlace

Places = Mapping[Passage, TextPlace]
Pictured = Mapping[Passage, Sequence[int]]  # the numbers of the pictures that a passage stands in


@dataclass(frozen=True, slots=True)
class FramedPicture:
    """A picture of the page by its number, from 1, as PNG, what was copied framed."""

    number: int
    png: bytes


def places_of(product: Product, case: Case) -> tuple[Places, Pictured]:
    """The place of each passage's beginning, and the pictures that it was read from, by the capture in which the copy
    was found; nothing of a page that is neither file nor pictures, of one that was lost, or is read otherwise now.
    """
    page = _as_read(product, case)
    return ({}, {}) if page is None else _places_of(page, case)


def framed_places_of(
    product: Product, case: Case, most: int
) -> tuple[Places, Mapping[Passage, Sequence[FramedPicture]]]:
    """As `places_of`, with the pictures themselves, so many at most; without those that are lost or cannot be drawn."""
    page = _as_read(product, case)
    if page is None:
        return {}, {}
    places, pictured = _places_of(page, case)
    framed: dict[Passage, list[FramedPicture]] = {}
    for passage, number in [(passage, number) for passage, numbers in pictured.items() for number in numbers][:most]:
        with suppress(NotFound, Unreadable):
            png = _framed(product, case, page, [line for line in _lines_of(page, passage) if line.number == number])
            framed.setdefault(passage, []).append(FramedPicture(number, png))
    return places, framed


def _places_of(page: ExtractedPage, case: Case) -> tuple[Places, Pictured]:
    lines = {one: _lines_of(page, one) for one in case.match.passages}
    begins = {one: _place(page, one, lines[one]) for one in case.match.passages}
    shown = {one: list(dict.fromkeys(line.number for line in found)) for one, found in lines.items() if found}
    return {one: place for one, place in begins.items() if place is not None}, shown


def framed(product: Product, case: Case, passage: int, picture: int) -> bytes:
    """A picture of the page as PNG, the lines of a passage framed; both by their numbers, from 1.

    Raises `NotFound` where the passage does not stand in it, `Unreadable`.
    """
    page = _as_read(product, case)
    passages = case.match.passages
    if page is None or not 1 <= passage <= len(passages):
        raise NotFound("pictures.none", passage=passage, picture=picture)
    lines = [line for line in _lines_of(page, passages[passage - 1]) if line.number == picture]
    if not lines:
        raise NotFound("pictures.none", passage=passage, picture=picture)
    return _framed(product, case, page, lines)


def _framed(product: Product, case: Case, page: ExtractedPage, lines: Sequence["PicturePlace"]) -> bytes:
    """One picture, these lines of it framed."""
    boxes, id = [line.box for line in lines], lines[0].picture
    if page.parts:
        return framed_scan(product.store.blobs.get(case.capture.body_digest), int(id.rpartition(":")[2]), boxes)
    fetched = {one.digest: one.content for one in fetched_with(product, case.capture)}
    return framed_picture(fetched[id], boxes)


def _as_read(product: Product, case: Case) -> ExtractedPage | None:
    """What the capture says, as its case has it; a chapter over several pages begins with this one."""
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.read_digest)
        kind = file_kind(body, capture.headers, capture.url) if capture.rendered_digest is None else None
        if kind is None and capture.assets_digest is None:
            return None
        texts = pictures_of(product, capture, body).texts if kind in (None, FileKind.PDF) else {}
        page = read_page(body, capture.read_headers, capture.url, texts, styles=styles_of(product, capture))
        matched = product.store.blobs.get_text(case.page_text_digest)
    except (NotFound, Unreadable):
        return None
    return page if matched.startswith(page.text) else None


def _lines_of(page: ExtractedPage, passage: Passage) -> list["PicturePlace"]:
    return [line for line in page.pictures if line.start < passage.page_end and passage.page_start < line.end]


def _place(page: ExtractedPage, passage: Passage, lines: Sequence["PicturePlace"]) -> TextPlace | None:
    if page.parts:
        return place_at(page.text, page.parts, passage.page_start)
    return TextPlace(PartKind.PICTURE, lines[0].number, lines[0].line) if lines else None
