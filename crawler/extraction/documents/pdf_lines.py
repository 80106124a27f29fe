"""Put the characters of a PDF page into lines and paragraphs, by where they stand (ISO 32000-1). Columns are lines."""

import re
import sys
from collections import Counter
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
# Scripts that are written without blanks, and their marks: where a line of them breaks, no blank is meant. That of
# Korean breaks inside of words as well.
UNSPACED_CHARACTER = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef“”‘’…—]"
)
HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MIN_VERTICAL_CHARACTERS = 30  # characters of a page that is set in columns
MIN_VERTICAL_SHARE = 0.6  # share of them that stand below each other, or alone in their lines
SAME_COLUMN_WIDTHS = 0.5  # of a character's width, between the middles of two of one column
TIER_GAP_WIDTHS = 0.8  # of a character's width, between tiers of columns, ...
TIER_GAP_SHARE = 0.1  # ... of which so many may run through
TIER_STEPS = 5  # steps of a character's width in which such gaps are looked for


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
class PdfPageText:
    """lines: of a page in order. unmapped: what was read of characters that the file has no map for."""

    lines: tuple[PdfLine, ...] = ()
    unmapped: str = ""


def read_page_text(page: pypdfium2.PdfPage) -> PdfPageText:
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
    return PdfPageText(tuple(line for line, _ in lines), unmapped)


def _to_character(code: int) -> str:
    """What PDFium gives for a character; a blank for half a pair, a control character and a hyphen of its own."""
    if code > sys.maxunicode:
        return "\N{REPLACEMENT CHARACTER}"
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
    """What stands above and below a gap that goes across the page; a head at its side may fill that in one column."""
    if not signs:
        return
    step = max(1.0, median(sign.width for sign in signs) / TIER_STEPS)
    drawn = Counter(at for sign in signs for at in range(round(sign.bottom / step), round(sign.top / step)))
    few = max(1.0, TIER_GAP_SHARE * max(drawn.values(), default=0))
    rest, above = sorted(signs, key=lambda sign: -(sign.top + sign.bottom)), 0
    edges = [at for at in range(max(drawn, default=0), min(drawn, default=0), -1) if drawn[at] <= few]
    for gap in _long_runs(edges, round(TIER_GAP_WIDTHS * TIER_STEPS)):
        if drawn[gap[0] + 1] <= few or drawn[gap[-1] - 1] <= few:  # where one column is longer than the others
            continue
        middle = step * (gap[0] + gap[-1] + 1)
        below = next((at for at, sign in enumerate(rest) if sign.top + sign.bottom < middle), len(rest))
        if below > above:
            yield rest[above:below]
        above = below
    if rest[above:]:
        yield rest[above:]


def _long_runs(steps: Sequence[int], least: int) -> Iterator[list[int]]:
    """Runs of steps that follow each other downwards."""
    run: list[int] = []
    for at in [*steps, -sys.maxsize]:
        if run and run[-1] - at != 1:
            if len(run) >= least:
                yield run
            run = []
        run.append(at)


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
            unspaced = UNSPACED_CHARACTER.match(paragraph[-1]) or UNSPACED_CHARACTER.match(line.text)
            paragraph += line.text if unspaced else f" {line.text}"
    yield paragraph
