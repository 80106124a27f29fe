"""Locate and quote the copied passages of a case, and find page text that was not matched."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from crawler.extraction.documents.file_kinds import FileKind, detect_response_kind
from crawler.extraction.model import DroppedText, ExtractedPage, PartKind, PicturePlace, TextPlace, find_text_place
from crawler.extraction.sandbox_calls import read_dropped_text, read_page, render_framed_picture, render_framed_scan
from matcher.model import Change, Passage
from wenhen.cases.model import Case
from wenhen.context.use_cases import Product
from wenhen.kit.errors import NotFound, Unreadable
from wenhen.pages.ocr_and_fonts import DECIPHERED_NOTE, capture_assets, capture_styles, load_picture_texts
from wenhen.pages.service import PassagePost, posts_of_case

# Location of a passage: the page or chapter of a file, or the picture and line.


PassagePlaces = Mapping[Passage, TextPlace]
PassagePictures = Mapping[Passage, Sequence[int]]  # passage -> numbers of the pictures that contain it


@dataclass(frozen=True, slots=True)
class FramedPicture:
    """A picture of the page as PNG with the copied lines framed.

    number: position on the page, from 1.
    """

    number: int
    png: bytes


def find_passage_places(product: Product, case: Case) -> tuple[PassagePlaces, PassagePictures]:
    """Return the location of each passage, and the pictures that contain it, in the capture of the case.

    Both are empty if the page is neither a file nor made of pictures, its body is lost, or its text is extracted
    differently now.
    """
    page = _read_capture(product, case)
    return ({}, {}) if page is None else _find_places(page, case)


def find_framed_places(
    product: Product, case: Case, most: int
) -> tuple[PassagePlaces, Mapping[Passage, Sequence[FramedPicture]]]:
    """Return the result of `find_passage_places` with at most `most` rendered pictures.

    Pictures that are lost or cannot be rendered are left out.
    """
    page = _read_capture(product, case)
    if page is None:
        return {}, {}
    places, pictured = _find_places(page, case)
    framed: dict[Passage, list[FramedPicture]] = {}
    for passage, number in [(passage, number) for passage, numbers in pictured.items() for number in numbers][:most]:
        with suppress(NotFound, Unreadable):
            png = _render_frame(
                product, case, page, [line for line in _passage_lines(page, passage) if line.number == number]
            )
            framed.setdefault(passage, []).append(FramedPicture(number, png))
    return places, framed


def _find_places(page: ExtractedPage, case: Case) -> tuple[PassagePlaces, PassagePictures]:
    lines = {passage: _passage_lines(page, passage) for passage in case.match.passages}
    begins = {passage: _passage_place(page, passage, lines[passage]) for passage in case.match.passages}
    shown = {
        place_key: list(dict.fromkeys(line.number for line in lines_found))
        for place_key, lines_found in lines.items()
        if lines_found
    }
    return {place_key: place for place_key, place in begins.items() if place is not None}, shown


def draw_passage_frame(product: Product, case: Case, passage: int, picture: int) -> bytes:
    """Return a picture of the page as PNG with the lines of a passage framed.

    passage, picture: numbers from 1.

    Raises `NotFound` if the picture does not contain the passage, `Unreadable`.
    """
    page = _read_capture(product, case)
    passages = case.match.passages
    if page is None or not 1 <= passage <= len(passages):
        raise NotFound("pictures.none", passage=passage, picture=picture)
    lines = [line for line in _passage_lines(page, passages[passage - 1]) if line.number == picture]
    if not lines:
        raise NotFound("pictures.none", passage=passage, picture=picture)
    return _render_frame(product, case, page, lines)


def _render_frame(product: Product, case: Case, page: ExtractedPage, lines: Sequence[PicturePlace]) -> bytes:
    """Render a picture with these lines framed."""
    boxes, id = [line.box for line in lines], lines[0].picture
    if page.parts:
        return render_framed_scan(product.store.blobs.get(case.capture.body_digest), int(id.rpartition(":")[2]), boxes)
    fetched = {asset.digest: asset.content for asset in capture_assets(product, case.capture)}
    return render_framed_picture(fetched[id], boxes)


def _read_capture(product: Product, case: Case) -> ExtractedPage | None:
    """Extract the text of the capture of a case. A multi-page text starts with this page.

    Returns None if the page is neither a file nor has pictures, is lost, or is extracted differently now.
    """
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.read_digest)
        kind = detect_response_kind(body, capture.headers, capture.url) if capture.rendered_digest is None else None
        if kind is None and capture.assets_digest is None:
            return None
        texts = load_picture_texts(product, capture, body).texts if kind in (None, FileKind.PDF) else {}
        page = read_page(body, capture.read_headers, capture.url, texts, styles=capture_styles(product, capture))
        matched = product.store.blobs.get_text(case.page_text_digest)
    except (NotFound, Unreadable):
        return None
    return page if matched.startswith(page.text) else None


def _passage_lines(page: ExtractedPage, passage: Passage) -> list[PicturePlace]:
    return [line for line in page.pictures if line.start < passage.page_end and passage.page_start < line.end]


def _passage_place(page: ExtractedPage, passage: Passage, lines: Sequence[PicturePlace]) -> TextPlace | None:
    if page.parts:
        return find_text_place(page.text, page.parts, passage.page_start)
    return TextPlace(PartKind.PICTURE, lines[0].number, lines[0].line) if lines else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageQuote:
    """A copied passage with both texts. Offsets are in code points, end exclusive."""

    number: int  # from 1, in page order
    page_start: int
    page_end: int
    work_start: int
    work_end: int
    page_text: str | None  # None if the store has lost the text, see `problems` of the case
    work_text: str | None
    similarity: float
    change: Change
    place: TextPlace | None = None  # start in a file or picture
    pictures: tuple[FramedPicture, ...] = ()  # pictures that contain it
    posts: tuple[PassagePost, ...] = ()  # posts of a thread that contain it


def make_quotes(
    passages: Collection[Passage], page_text: str | None, work_text: str | None
) -> tuple[PassageQuote, ...]:
    """Return numbered passages in page order, with the text of both sides."""
    return tuple(
        _make_quote(number, passage, page_text, work_text) for number, passage in enumerate(_sort_passages(passages), 1)
    )


def add_passage_places(
    product: Product, case: Case, quotes: Sequence[PassageQuote], pictures: int
) -> tuple[PassageQuote, ...]:
    """Return the quotes with their locations, posts, and at most `pictures` framed pictures."""
    places, framed = find_framed_places(product, case, pictures)
    posts = posts_of_case(product, case)
    return tuple(
        replace(
            quote,
            place=places.get(passage),
            pictures=tuple(framed.get(passage, ())),
            posts=tuple(posts.get(passage, ())),
        )
        for quote, passage in zip(quotes, _sort_passages(case.match.passages), strict=True)
    )


def _sort_passages(passages: Collection[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: (passage.page_start, passage.work_start))


def _make_quote(number: int, passage: Passage, page_text: str | None, work_text: str | None) -> PassageQuote:
    return PassageQuote(
        number=number,
        page_start=passage.page_start,
        page_end=passage.page_end,
        work_start=passage.work_start,
        work_end=passage.work_end,
        page_text=None if page_text is None else page_text[passage.page_start : passage.page_end],
        work_text=None if work_text is None else work_text[passage.work_start : passage.work_end],
        similarity=passage.similarity,
        change=passage.change,
    )


def find_unmatched_text(product: Product, case: Case, text: str) -> list[DroppedText]:
    """Return the text of the capture that is missing from the matched text.

    The result is empty if the body is lost, unreadable, a file, or was deobfuscated.
    """
    capture = case.capture
    try:
        body = product.store.blobs.get(capture.read_digest)
    except NotFound:
        return []
    if detect_response_kind(body, capture.headers, capture.url) is not None or _is_deciphered(
        product, case
    ):  # all of its text is matched
        return []
    try:
        return read_dropped_text(body, capture.read_headers, capture.url, text)
    except Unreadable:
        return []


def _is_deciphered(product: Product, case: Case) -> bool:
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    return page is not None and page.note == DECIPHERED_NOTE


class SentencePair(NamedTuple):
    """A sentence of the page, its counterpart in the work, and their common words as in the page."""

    page: str
    work: str
    words: tuple[str, ...]


def find_sentence_pairs(product: Product, case: Case) -> list[SentencePair]:
    """Return the paraphrased sentence pairs in page order.

    The result is empty if the case is no suspected paraphrase or a text is lost.
    """
    if not case.match.retold:
        return []
    try:
        texts = product.store.blobs.get_texts({case.page_text_digest, case.work_text_digest})
    except NotFound:
        return []
    page, work = texts[case.page_text_digest], texts[case.work_text_digest]
    return [
        SentencePair(
            page[passage.page_start : passage.page_end], work[passage.work_start : passage.work_end], passage.words
        )
        for passage in case.match.retold
    ]
