"""PDF: the text of each page as paragraphs, by where its lines stand (PDFium; ISO 32000-1)."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2
from pypdfium2 import raw

from crawler.extract.files.document import Document, DocumentPart, PartKind
from store.errors import Unreadable
from store.messages import Message, message

MOST_PAGES = 5_000
INDENT = 0.8  # of the height of a sign: so far from the left a paragraph begins, ...
SHORT = 2.5  # ... and so far from the right it has ended
SPACED = 2.6  # times that height a line stands below the one before it, where a paragraph begins
TENTH = 10  # of the lines of a page
HEADS = 3  # pages, and a quarter of all, on which a first or last line is one that runs through the book
PAGE_NUMBER = re.compile(r"[\s\d\-–—·•/|第页頁共of]*", re.IGNORECASE)
DIGITS = re.compile(r"\d+")
LATIN = re.compile(r"[A-Za-z0-9,.;:)]")


@dataclass(frozen=True, slots=True)
class _Line:
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
        pages, lost = _pages(opened)
        scans = tuple(number for number, page in enumerate(pages, 1) if not page and _shows_picture(opened, number))
        stated = opened.get_metadata_dict()
    finally:
        opened.close()
    heads = _running_heads(pages)
    parts = tuple(
        DocumentPart(PartKind.PAGE, number, tuple(_paragraphs(_without(page, heads))))
        for number, page in enumerate(pages, 1)
    )
    return Document(
        parts,
        title=stated.get("Title") or None,
        author=stated.get("Author") or None,
        lost=tuple(lost),
        scans=scans,
    )


def _pages(opened: pypdfium2.PdfDocument) -> tuple[list[list[_Line]], list[Message]]:
    """The lines of each page, none of one that cannot be read, and what was lost."""
    pages: list[list[_Line]] = []
    lost: list[Message] = []
    for number in range(min(len(opened), MOST_PAGES)):
        try:
            pages.append(_lines(opened[number]))
        except pypdfium2.PdfiumError as error:
            pages.append([])
            lost.append(message("documents.page", number=number + 1, error=str(error)))
    if lost and not any(pages):
        raise Unreadable("documents.broken", kind="PDF", error=lost[0])
    if len(opened) > MOST_PAGES:
        lost.append(message("documents.too_many_pages", most=MOST_PAGES))
    return pages, lost


def _shows_picture(opened: pypdfium2.PdfDocument, number: int) -> bool:
    """Whether a page without text has a picture on it, as a scanned one does."""
    try:
        page = opened[number - 1]
        shows = next(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]), None) is not None
        page.close()
    except pypdfium2.PdfiumError:
        return False
    return shows


def _lines(page: pypdfium2.PdfPage) -> list[_Line]:
    textpage = page.get_textpage()
    count = textpage.count_chars()
    signs = [raw.FPDFText_GetUnicode(textpage, at) for at in range(count)]
    lines = list(_cut(textpage, "".join(_sign(code) for code in signs)))
    textpage.close()
    page.close()
    return lines


def _sign(code: int) -> str:
    return " " if 0xD800 <= code < 0xE000 or code in (0, 2, 0xFFFE) else chr(code)


def _cut(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[_Line]:
    """PDFium ends each line with a feed that it makes up; the boxes of its first and last sign are the line's."""
    for found in re.finditer(r"[^\r\n]+", text):
        said = found[0].strip()
        if not said:
            continue
        first = found.start() + len(found[0]) - len(found[0].lstrip())
        left, bottom, _, top = textpage.get_charbox(first, loose=True)
        _, _, right, _ = textpage.get_charbox(first + len(said) - 1, loose=True)
        yield _Line(" ".join(said.split()), left, right, (bottom + top) / 2, top - bottom)


def _running_heads(pages: Sequence[Sequence[_Line]]) -> frozenset[str]:
    """First and last lines that many pages have, whatever number stands in them."""
    counts = Counter(_key(line) for page in pages if len(page) > 1 for line in {page[0], page[-1]})
    return frozenset(key for key, count in counts.items() if count >= max(HEADS, len(pages) / 4))


def _key(line: _Line) -> str:
    return DIGITS.sub("0", line.text)


def _without(page: Sequence[_Line], heads: frozenset[str]) -> Sequence[_Line]:
    for at in (0, -1):
        if page and (_key(page[at]) in heads or PAGE_NUMBER.fullmatch(page[at].text)):
            page = page[1:] if at == 0 else page[:-1]
    return page


def _paragraphs(lines: Sequence[_Line]) -> Iterator[str]:
    if not lines:
        return
    few = len(lines) // TENTH  # lines that may stand out on either side: heads, notes
    left, right = sorted(line.left for line in lines)[few], sorted(line.right for line in lines)[-1 - few]
    size = max(1.0, median(line.size for line in lines))  # a single 一 is flat
    paragraph = lines[0].text
    for before, line in pairwise(lines):
        begins = line.left > left + INDENT * size or before.right < right - SHORT * size
        if begins or before.middle - line.middle > SPACED * size:
            yield paragraph
            paragraph = line.text
        else:
            between = " " if LATIN.match(paragraph[-1]) and LATIN.match(line.text) else ""
            paragraph += between + line.text
    yield paragraph
