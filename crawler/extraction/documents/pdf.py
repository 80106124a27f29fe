"""Read PDF pages as paragraphs, and render scanned pages for OCR (PDFium)."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pypdfium2
from pypdfium2 import raw

from crawler.extraction.documents.document import Document, DocumentPart, stated_title
from crawler.extraction.documents.pdf_lines import PdfLine, PdfPageText, group_paragraphs, read_page_text
from crawler.extraction.documents.readability import find_garbling
from crawler.extraction.model import Box, PartKind, PictureText
from crawler.extraction.ocr import draw_frames, recognize_pixels
from crawler.extraction.pictures import join_picture_lines
from wenhen.kit.errors import Message, Unreadable, message

# PDF: each page as paragraphs, by the positions of its lines (PDFium; ISO 32000-1).


MAX_PDF_PAGES = 5_000
MIN_RUNNING_HEAD_PAGES = 3  # pages, and a quarter of all, on which a first or last line is a running head
PAGE_NUMBER = re.compile(r"[\s\d\-–—·•/|第页頁共of]*", re.IGNORECASE)
MAX_PAGE_NUMBERS = 2  # numbers in such a line: the page, and the number of pages
DIGIT_RUN = re.compile(r"\d+")


def read_pdf(content: bytes) -> Document:
    """Read a PDF. Raises `Unreadable` for a locked or broken one. A single broken page is only lost."""
    try:
        opened = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise Unreadable("documents.locked") from None
        raise Unreadable("documents.broken", kind="PDF", error=str(error)) from None
    try:
        pages, lost = _read_pages(opened)
        scans = [number for number, page in enumerate(pages, 1) if not page.lines and _is_scanned(opened, number)]
        stated = opened.get_metadata_dict()
    finally:
        opened.close()
    heads = _running_heads([page.lines for page in pages])
    parts = tuple(
        DocumentPart(PartKind.PAGE, number, tuple(group_paragraphs(_strip_running_heads(page.lines, heads))))
        for number, page in enumerate(pages, 1)
    )
    garbled = find_garbling(
        [line for part in parts for line in part.paragraphs], "".join(page.unmapped for page in pages)
    )
    if garbled is not None:  # the rendered pages are correct all the same
        scans = [number for number, page in enumerate(pages, 1) if page.lines or number in scans]
        parts = tuple(replace(part, paragraphs=()) for part in parts)
        garbled = message("documents.garbled", reason=garbled)
    return Document(
        parts,
        title=None if garbled else stated_title(stated.get("Title")),
        author=stated.get("Author") or None,
        lost=tuple(lost),
        scans=tuple(scans),
        garbled=garbled,
    )


def _read_pages(opened: pypdfium2.PdfDocument) -> tuple[list[PdfPageText], list[Message]]:
    """Return the text of each page and the losses. Unreadable pages have no text."""
    pages: list[PdfPageText] = []
    lost: list[Message] = []
    for number in range(min(len(opened), MAX_PDF_PAGES)):
        try:
            pages.append(read_page_text(opened[number]))
        except pypdfium2.PdfiumError as error:
            pages.append(PdfPageText())
            lost.append(message("documents.page", number=number + 1, error=str(error)))
    if lost and not any(page.lines for page in pages):
        raise Unreadable("documents.broken", kind="PDF", error=lost[0])
    if len(opened) > MAX_PDF_PAGES:
        lost.append(message("documents.too_many_pages", most=MAX_PDF_PAGES))
    return pages, lost


def _is_scanned(opened: pypdfium2.PdfDocument, number: int) -> bool:
    """Tell whether a page without text has a picture, as a scanned page does."""
    try:
        page = opened[number - 1]
        shows = next(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]), None) is not None
        page.close()
    except pypdfium2.PdfiumError:
        return False
    return shows


def _running_heads(pages: Sequence[Sequence[PdfLine]]) -> frozenset[str]:
    """Return the first and last lines that many pages share, whatever their numbers."""
    counts = Counter(_head_key(line) for page in pages if len(page) > 1 for line in {page[0], page[-1]})
    return frozenset(key for key, count in counts.items() if count >= max(MIN_RUNNING_HEAD_PAGES, len(pages) / 4))


def _head_key(line: PdfLine) -> str:
    return DIGIT_RUN.sub("0", line.text)


def _is_page_number(text: str) -> bool:
    return PAGE_NUMBER.fullmatch(text) is not None and len(DIGIT_RUN.findall(text)) <= MAX_PAGE_NUMBERS


def _strip_running_heads(page: Sequence[PdfLine], heads: frozenset[str]) -> Sequence[PdfLine]:
    for edge in (0, -1):
        if page and (_head_key(page[edge]) in heads or _is_page_number(page[edge].text)):
            page = page[1:] if edge == 0 else page[:-1]
    return page


# PDF pages that only show a picture: rendered for OCR, with the recognized text put in their place.


MAX_SCANS = 300  # pages of one document; each takes two seconds or three
SCAN_WIDTH_PIXELS = 1_240  # pixels: a page of A4 at 150 dots an inch
MAX_SCAN_SIDE_PIXELS = 4_000  # pixels, for pages of any shape


def insert_scans(document: Document, scans: Mapping[str, PictureText]) -> Document:
    """Return the document with the recognized text of its scans. `Document.scans` then lists the scans still unread."""
    wanted, beyond = document.scans[:MAX_SCANS], document.scans[MAX_SCANS:]
    known = {number: scans[str(number)] for number in wanted if str(number) in scans}
    parts = tuple(
        replace(part, paragraphs=join_picture_lines(known[part.number].lines)) if part.number in known else part
        for part in document.parts
    )
    lost = [
        message("documents.scan", number=number, reason=scan.problem) for number, scan in known.items() if scan.problem
    ]
    if beyond:
        lost.append(message("documents.too_many_pictures", most=MAX_SCANS))
    if document.garbled is not None:
        lost.append(document.garbled)
    return replace(
        document,
        parts=parts,
        lost=(*document.lost, *lost),
        scans=tuple(number for number in wanted if number not in known),
        pictures=tuple(known.values()),
    )


def recognize_scans(content: bytes, id: str, known: Collection[int]) -> Iterator[PictureText]:
    """Recognize the text of a PDF's scanned pages, except for known ones. id: the document's SHA-256."""
    wanted = [number for number in read_pdf(content).scans[:MAX_SCANS] if number not in known]
    for number in wanted:
        try:
            lines, problem = recognize_pixels(render_pdf_page(content, number)), None
        except Unreadable as error:
            lines, problem = (), error.message
        yield PictureText(id=scan_id(id, number), lines=lines, problem=problem)


def frame_scan(content: bytes, number: int, boxes: Sequence[Box]) -> bytes:
    """Return a page of a PDF as PNG, with frames around the boxes. Raises `Unreadable`."""
    return draw_frames(render_pdf_page(content, number), boxes)


def scan_id(id: str, number: int) -> str:
    """Return the key under which the text of a document's scan is stored."""
    return f"{id}:{number}"


def render_pdf_page(content: bytes, number: int) -> Any:
    """Return the pixels of a page of a PDF, each blue, green, red. Raises `Unreadable`."""
    try:
        document = pypdfium2.PdfDocument(content)
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(SCAN_WIDTH_PIXELS / max(1.0, width), MAX_SCAN_SIDE_PIXELS / max(1.0, height))
        pixels = page.render(scale=scale).to_numpy().copy()
        document.close()
    except pypdfium2.PdfiumError as error:
        raise Unreadable("documents.broken", kind="PDF", error=str(error)) from None
    return pixels
