"""Read PDF pages as paragraphs, and render scanned pages for OCR (PDFium)."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

import pypdfium2
from pypdfium2 import raw

from crawler.extraction.documents.document import Document, DocumentPart
from crawler.extraction.model import Box, PartKind, PictureText
from crawler.extraction.ocr import draw_frames, recognize_pixels
from crawler.extraction.pictures import join_picture_lines
from wenhen.kit.errors import Message, Unreadable, message

# PDF: the text of each page as paragraphs, by where its lines stand (PDFium; ISO 32000-1).


MAX_PDF_PAGES = 5_000
INDENT_HEIGHTS = 0.8  # of the height of a sign: so far from the left a paragraph begins, ...
SHORT_LINE_HEIGHTS = 2.5  # ... and so far from the right it has ended
PARAGRAPH_SPACING_HEIGHTS = 2.6  # times that height a line stands below the one before it, where a paragraph begins
OUTLIER_DIVISOR = 10  # of the lines of a page
MIN_RUNNING_HEAD_PAGES = (
    3  # pages, and a quarter of all, on which a first or last line is one that runs through the book
)
PAGE_NUMBER = re.compile(r"[\s\d\-–—·•/|第页頁共of]*", re.IGNORECASE)
DIGIT_RUN = re.compile(r"\d+")
LATIN_CHARACTER = re.compile(r"[A-Za-z0-9,.;:)]")


@dataclass(frozen=True, slots=True)
class _PdfLine:
    """A line of a page, in points from the lower left; size: how high its first sign is, middle: half way up."""

    text: str
    left: float
    right: float
    middle: float
    size: float


def read_pdf(content: bytes) -> Document:
    """Raises `Unreadable` for one that is locked or broken; a page that is broken by itself is lost alone."""
    try:
        opened = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise Unreadable("documents.locked") from None
        raise Unreadable("documents.broken", kind="PDF", error=str(error)) from None
    try:
        pages, lost = _read_pages(opened)
        scans = tuple(number for number, page in enumerate(pages, 1) if not page and _is_scanned(opened, number))
        stated = opened.get_metadata_dict()
    finally:
        opened.close()
    heads = _running_heads(pages)
    parts = tuple(
        DocumentPart(PartKind.PAGE, number, tuple(_group_paragraphs(_strip_running_heads(page, heads))))
        for number, page in enumerate(pages, 1)
    )
    return Document(
        parts,
        title=stated.get("Title") or None,
        author=stated.get("Author") or None,
        lost=tuple(lost),
        scans=scans,
    )


def _read_pages(opened: pypdfium2.PdfDocument) -> tuple[list[list[_PdfLine]], list[Message]]:
    """The lines of each page, none of one that cannot be read, and what was lost."""
    pages: list[list[_PdfLine]] = []
    lost: list[Message] = []
    for number in range(min(len(opened), MAX_PDF_PAGES)):
        try:
            pages.append(_read_lines(opened[number]))
        except pypdfium2.PdfiumError as error:
            pages.append([])
            lost.append(message("documents.page", number=number + 1, error=str(error)))
    if lost and not any(pages):
        raise Unreadable("documents.broken", kind="PDF", error=lost[0])
    if len(opened) > MAX_PDF_PAGES:
        lost.append(message("documents.too_many_pages", most=MAX_PDF_PAGES))
    return pages, lost


def _is_scanned(opened: pypdfium2.PdfDocument, number: int) -> bool:
    """Whether a page without text has a picture on it, as a scanned one does."""
    try:
        page = opened[number - 1]
        shows = next(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]), None) is not None
        page.close()
    except pypdfium2.PdfiumError:
        return False
    return shows


def _read_lines(page: pypdfium2.PdfPage) -> list[_PdfLine]:
    textpage = page.get_textpage()
    count = textpage.count_chars()
    signs = [raw.FPDFText_GetUnicode(textpage, at) for at in range(count)]
    lines = list(_split_lines(textpage, "".join(_to_character(code) for code in signs)))
    textpage.close()
    page.close()
    return lines


def _to_character(code: int) -> str:
    return " " if 0xD800 <= code < 0xE000 or code in (0, 2, 0xFFFE) else chr(code)


def _split_lines(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[_PdfLine]:
    """PDFium ends each line with a feed that it makes up; the boxes of its first and last sign are the line's."""
    for found in re.finditer(r"[^\r\n]+", text):
        said = found[0].strip()
        if not said:
            continue
        first = found.start() + len(found[0]) - len(found[0].lstrip())
        left, bottom, _, top = textpage.get_charbox(first, loose=True)
        _, _, right, _ = textpage.get_charbox(first + len(said) - 1, loose=True)
        yield _PdfLine(" ".join(said.split()), left, right, (bottom + top) / 2, top - bottom)


def _running_heads(pages: Sequence[Sequence[_PdfLine]]) -> frozenset[str]:
    """First and last lines that many pages have, whatever number stands in them."""
    counts = Counter(_head_key(line) for page in pages if len(page) > 1 for line in {page[0], page[-1]})
    return frozenset(key for key, count in counts.items() if count >= max(MIN_RUNNING_HEAD_PAGES, len(pages) / 4))


def _head_key(line: _PdfLine) -> str:
    return DIGIT_RUN.sub("0", line.text)


def _strip_running_heads(page: Sequence[_PdfLine], heads: frozenset[str]) -> Sequence[_PdfLine]:
    for at in (0, -1):
        if page and (_head_key(page[at]) in heads or PAGE_NUMBER.fullmatch(page[at].text)):
            page = page[1:] if at == 0 else page[:-1]
    return page


def _group_paragraphs(lines: Sequence[_PdfLine]) -> Iterator[str]:
    if not lines:
        return
    few = len(lines) // OUTLIER_DIVISOR  # lines that may stand out on either side: heads, notes
    left, right = sorted(line.left for line in lines)[few], sorted(line.right for line in lines)[-1 - few]
    size = max(1.0, median(line.size for line in lines))  # a single 一 is flat
    paragraph = lines[0].text
    for before, line in pairwise(lines):
        begins = line.left > left + INDENT_HEIGHTS * size or before.right < right - SHORT_LINE_HEIGHTS * size
        if begins or before.middle - line.middle > PARAGRAPH_SPACING_HEIGHTS * size:
            yield paragraph
            paragraph = line.text
        else:
            between = " " if LATIN_CHARACTER.match(paragraph[-1]) and LATIN_CHARACTER.match(line.text) else ""
            paragraph += between + line.text
    yield paragraph


# Pages of a PDF that show a picture alone: rendered to be read, and what is written there put in their place.


MAX_SCANS = 300  # pages of one document; each takes two seconds or three
SCAN_WIDTH_PIXELS = 1_240  # pixels: a page of A4 at 150 dots an inch
MAX_SCAN_SIDE_PIXELS = 4_000  # pixels, of whatever shape a page is


def insert_scans(document: Document, scans: Mapping[str, PictureText]) -> Document:
    """The document with what is written on its scanned pages; `Document.scans` are those that are still to be read."""
    wanted, beyond = document.scans[:MAX_SCANS], document.scans[MAX_SCANS:]
    known = {number: scans[str(number)] for number in wanted if str(number) in scans}
    parts = tuple(
        replace(part, paragraphs=join_picture_lines(known[part.number].lines)) if part.number in known else part
        for part in document.parts
    )
    lost = [
        message("documents.scan", number=number, reason=one.problem) for number, one in known.items() if one.problem
    ]
    if beyond:
        lost.append(message("documents.too_many_pictures", most=MAX_SCANS))
    return replace(
        document,
        parts=parts,
        lost=(*document.lost, *lost),
        scans=tuple(number for number in wanted if number not in known),
        pictures=tuple(known.values()),
    )


def recognize_scans(content: bytes, id: str, known: Collection[int]) -> Iterator[PictureText]:
    """What is written on the scanned pages of a PDF, but of those that are known; id: the document's SHA-256."""
    wanted = [number for number in read_pdf(content).scans[:MAX_SCANS] if number not in known]
    for number in wanted:
        try:
            lines, problem = recognize_pixels(render_pdf_page(content, number)), None
        except Unreadable as error:
            lines, problem = (), error.message
        yield PictureText(id=scan_id(id, number), lines=lines, problem=problem)


def frame_scan(content: bytes, number: int, boxes: Sequence[Box]) -> bytes:
    """A page of a PDF as PNG, with frames around the boxes. Raises `Unreadable`."""
    return draw_frames(render_pdf_page(content, number), boxes)


def scan_id(id: str, number: int) -> str:
    """By which the reading of a page of a document is kept."""
    return f"{id}:{number}"


def render_pdf_page(content: bytes, number: int) -> Any:
    """The pixels of a page of a PDF, each blue, green, red. Raises `Unreadable`."""
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
