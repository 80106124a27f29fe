"""Put the characters of a PDF page into lines and paragraphs, by where they stand (ISO 32000-1). Columns are lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2
from pypdfium2 import raw

INDENT_HEIGHTS = 0.8  # of the height of a sign: so far from the left a paragraph begins, ...
SHORT_LINE_HEIGHTS = 2.5  # ... and so far from the right it has ended
PARAGRAPH_SPACING_HEIGHTS = 2.6  # times that height a line stands below the one before it, where a paragraph begins
OUTLIER_DIVISOR = 10  # of the lines of a page
LINE_ENDS = frozenset((0x0A, 0x0D))
LATIN_CHARACTER = re.compile(r"[A-Za-z0-9,.;:)]")
HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MIN_VERTICAL_CHARACTERS = 30  # characters of a page that is set in columns
MIN_VERTICAL_SHARE = 0.6  # share of them that stand below each other, or alone in their lines
SAME_COLUMN_WIDTHS = 0.5  # of a character's width, between the middles of two of one column
TIER_GAP_WIDTHS = 0.8  # of a character's width, between tiers of columns


@dataclass(frozen=True, slots=True)
class PdfLine:
    """A line of a page, in points from the lower left; size: how high its first sign is, middle: half way up. Of a
    column left is its head and right its foot, from the top of its tier.
    """

    text: str
    left: float
    right: float
    middle: float
    size: float


@dataclass(frozen=True, slots=True)
class _Sign:
    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def across(self) -> float:
        return (self.left + self.right) / 2

    @property
    def width(self) -> float:
        return max(1.0, self.right - self.left)


@dataclass(frozen=True, slots=True)
class PageText:
    """lines: of a page in order. unmapped: what was read of characters that the file has no map for."""

    lines: tuple[PdfLine, ...] = ()
    unmapped: str = ""


def read_page_text(page: pypdfium2.PdfPage) -> PageText:
    """The text of a page, which is closed then."""
    textpage = page.get_textpage()
    count = textpage.count_chars()
    text = "".join(_to_character(raw.FPDFText_GetUnicode(textpage, at)) for at in range(count))
    shown = [at for at in range(count) if not text[at].isspace() and not raw.FPDFText_IsGenerated(textpage, at)]
    unmapped = "".join(text[at] for at in shown if raw.FPDFText_HasUnicodeMapError(textpage, at) == 1)
    lines = list(_iter_lines(textpage, text))
    if _is_vertical(lines):
        signs = [_Sign(text[at], *textpage.get_charbox(at, loose=True)) for at in shown]
        lines = [(line, False) for line in _iter_columns(signs)]
    textpage.close()
    page.close()
    return PageText(tuple(line for line, _ in lines), unmapped)


def _to_character(code: int) -> str:
    """What PDFium gives for a character; a blank for half a pair, a control character and a hyphen of its own."""
    if 0xD800 <= code < 0xE000 or code == 0xFFFE or (code < 0x20 and code not in LINE_ENDS):
        return " "
    return chr(code)


def _iter_lines(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[tuple[PdfLine, bool]]:
    """PDFium ends each line with a feed that it makes up; the boxes of its first and last sign are the line's. With
    each, whether it runs downwards.
    """
    for found in re.finditer(r"[^\r\n]+", text):
        said = found[0].strip()
        if not said:
            continue
        first = found.start() + len(found[0]) - len(found[0].lstrip())
        left, bottom, first_right, top = textpage.get_charbox(first, loose=True)
        last_left, last_bottom, right, last_top = textpage.get_charbox(first + len(said) - 1, loose=True)
        middle, size = (bottom + top) / 2, top - bottom
        falls = middle - (last_bottom + last_top) / 2 > size > 0 and last_left < first_right and left < right
        yield PdfLine(" ".join(said.split()), left, right, middle, size), falls


def _is_vertical(lines: Sequence[tuple[PdfLine, bool]]) -> bool:
    """Whether most characters of a page stand below each other: in lines that fall, or each in a line of its own."""
    total = sum(len(line.text) for line, _ in lines)
    if total < MIN_VERTICAL_CHARACTERS:
        return False
    falling = sum(len(line.text) for line, falls in lines if falls)
    alone = sum(len(line.text) == 1 and HAN_OR_KANA.match(line.text) is not None for line, _ in lines)
    return falling + alone >= MIN_VERTICAL_SHARE * total


def _iter_columns(signs: Sequence[_Sign]) -> Iterator[PdfLine]:
    """Columns from the right, each from above, tier by tier: a page of a gazette has several."""
    for tier in _split_tiers(signs):
        yield from _iter_tier_columns(tier, max(sign.top for sign in tier))


def _split_tiers(signs: Sequence[_Sign]) -> Iterator[list[_Sign]]:
    """What stands above and below a gap that goes all across the page."""
    width = median(sign.width for sign in signs) if signs else 0.0
    tier: list[_Sign] = []
    lowest = 0.0
    for sign in sorted(signs, key=lambda sign: -sign.top):
        if tier and lowest - sign.top > TIER_GAP_WIDTHS * width:
            yield tier
            tier = []
        lowest = min(lowest, sign.bottom) if tier else sign.bottom
        tier.append(sign)
    if tier:
        yield tier


def _iter_tier_columns(signs: Sequence[_Sign], head: float) -> Iterator[PdfLine]:
    column: list[_Sign] = []
    for sign in sorted(signs, key=lambda sign: -sign.across):
        if column and column[0].across - sign.across > SAME_COLUMN_WIDTHS * column[0].width:
            yield _join_column(column, head)
            column = []
        column.append(sign)
    if column:
        yield _join_column(column, head)


def _join_column(column: Sequence[_Sign], head: float) -> PdfLine:
    signs = sorted(column, key=lambda sign: -sign.top)
    text = "".join(sign.text for sign in signs)
    return PdfLine(text, head - signs[0].top, head - signs[-1].bottom, signs[0].across, signs[0].width)


def group_paragraphs(lines: Sequence[PdfLine]) -> Iterator[str]:
    """The lines of a page as paragraphs: one begins further in, and ends before the others do."""
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
