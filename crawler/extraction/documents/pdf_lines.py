"""Group the characters of a PDF page into lines and paragraphs by position (ISO 32000-1). Columns count as lines."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

import pypdfium2
from pypdfium2 import raw

INDENT_HEIGHTS = 0.8  # of the height of a character: indentation that begins a paragraph, ...
SHORT_LINE_HEIGHTS = 2.5  # ... and missing width that ends one
PARAGRAPH_SPACING_HEIGHTS = 2.6  # multiple of that height as line distance, from which a paragraph begins
OUTLIER_DIVISOR = 10  # of the lines of a page
LINE_ENDS = frozenset((0x0A, 0x0D))
# Scripts without spaces between words, and their punctuation: a line break in them stands for no space. Korean breaks
# lines inside of words as well.
UNSPACED_CHARACTER = re.compile(
    r"[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef“”‘’…—]"
)
HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
MIN_VERTICAL_CHARACTERS = 30  # characters of a page that is set in columns
MIN_VERTICAL_SHARE = 0.6  # share of them that are below each other, or alone in their lines
SAME_COLUMN_WIDTHS = 0.6  # of a character's width, between the centres of two in one column
MIN_ACROSS_CHARACTERS = 3  # characters of a horizontal line on a page of columns
ACROSS_SIZES, FALLING_SIZES = 1.15, 1.6  # character pitch in multiples of its size: in a horizontal line, in a column
FAR = 20_000.0  # points; no page is so large
TIER_GAP_WIDTHS = 0.8  # of a character's width, between tiers of columns, ...
TIER_GAP_SHARE = 0.1  # ... of which so many may cross the gap
TIER_STEPS = 5  # steps of a character's width in which such gaps are searched


@dataclass(frozen=True, slots=True)
class PdfLine:
    """Represent a line of a page, in points from the lower left.

    size: height of its first character. middle: half of its height. For a column, left is its head and right its foot,
    measured from the top of its tier.
    """

    text: str
    left: float
    right: float
    middle: float
    size: float


@dataclass(frozen=True, slots=True)
class _Sign:
    """Represent a character, or several below each other."""

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
class _Run:
    """Represent a line as PDFium reports it, by its first and last character. falls: it runs downwards."""

    line: PdfLine
    falls: bool
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class PdfPageText:
    """Hold the text of a page. lines: in order. unmapped: the characters that the file has no map for."""

    lines: tuple[PdfLine, ...] = ()
    unmapped: str = ""


def read_page_text(page: pypdfium2.PdfPage) -> PdfPageText:
    """Read the text of a page, then close the page."""
    textpage = page.get_textpage()
    count = textpage.count_chars()
    text = "".join(_to_character(raw.FPDFText_GetUnicode(textpage, place)) for place in range(count))
    shown = [
        place for place in range(count) if not text[place].isspace() and not raw.FPDFText_IsGenerated(textpage, place)
    ]
    unmapped = "".join(text[place] for place in shown if raw.FPDFText_HasUnicodeMapError(textpage, place) == 1)
    runs = list(_iter_runs(textpage, text))
    lines = _vertical_lines(textpage, text, runs) if _is_vertical(runs) else [run.line for run in runs]
    textpage.close()
    page.close()
    return PdfPageText(tuple(lines), unmapped)


def _to_character(code: int) -> str:
    """Return PDFium's character. Surrogate halves, control characters and its own hyphen become a space."""
    if code > sys.maxunicode:
        return "\N{REPLACEMENT CHARACTER}"
    if 0xD800 <= code < 0xE000 or code == 0xFFFE or (code < 0x20 and code not in LINE_ENDS):
        return " "
    return chr(code)


def _iter_runs(textpage: pypdfium2.PdfTextPage, text: str) -> Iterator[_Run]:
    """Yield PDFium's lines. It ends each with a line feed of its own. First and last character give the line's box."""
    for match in re.finditer(r"[^\r\n]+", text):
        words = match[0].strip()
        if not words:
            continue
        first = match.start() + len(match[0]) - len(match[0].lstrip())
        last = first + len(words) - 1
        left, bottom, first_right, top = textpage.get_charbox(first, loose=True)
        _, _, right, _ = textpage.get_charbox(last, loose=True)
        half_left, half_bottom, half_right, half_top = textpage.get_charbox((first + last + 1) // 2, loose=True)
        middle, size = (bottom + top) / 2, top - bottom
        falls = middle - (half_bottom + half_top) / 2 > size > 0 and half_left < first_right and left < half_right
        yield _Run(PdfLine(" ".join(words.split()), left, right, middle, size), falls, first, last)


def _is_vertical(runs: Sequence[_Run]) -> bool:
    """Tell whether most characters of a page are below each other: in vertical lines, or each in its own line."""
    total = sum(len(run.line.text) for run in runs)
    if total < MIN_VERTICAL_CHARACTERS:
        return False
    falling = sum(len(run.line.text) for run in runs if run.falls)
    alone = sum(len(run.line.text) == 1 and HAN_OR_KANA.match(run.line.text) is not None for run in runs)
    return falling + alone >= MIN_VERTICAL_SHARE * total


def _vertical_lines(textpage: pypdfium2.PdfTextPage, text: str, runs: Sequence[_Run]) -> list[PdfLine]:
    """Return the horizontal headings above the columns, the columns, then other horizontal lines."""
    across = [run.line for run in runs if _is_horizontal(run)]
    signs = [sign for run in runs if not _is_horizontal(run) for sign in _iter_signs(textpage, text, run)]
    head = max((sign.top for sign in signs), default=0.0)
    apart = [replace(line, left=FAR, right=-FAR) for line in across]  # each is a paragraph of its own
    heads = [line for line in apart if line.middle > head]
    return [*heads, *_iter_columns(signs), *(line for line in apart if line.middle <= head)]


def _is_horizontal(run: _Run) -> bool:
    """Tell whether a line is as dense as words are. Characters of adjacent columns are further apart."""
    line = run.line
    wide = line.right - line.left
    close = wide < ACROSS_SIZES * line.size * len(line.text)
    return not run.falls and len(line.text) >= MIN_ACROSS_CHARACTERS and close


def _iter_signs(textpage: pypdfium2.PdfTextPage, text: str, run: _Run) -> Iterator[_Sign]:
    """Yield the characters of a line one by one. Characters below each other without a gap form one sign."""
    shown = [place for place in range(run.first, run.last + 1) if not text[place].isspace()]
    signs = [_Sign(text[place], *textpage.get_charbox(place, loose=True)) for place in shown]
    signs = [sign for sign in signs if max(map(abs, (sign.left, sign.bottom, sign.right, sign.top))) < FAR]
    if not run.falls:
        yield from signs
        return
    together: list[_Sign] = []
    for sign in signs:
        if together and not _is_next_below(together[-1], sign):
            yield _join_signs(together)
            together = []
        together.append(sign)
    if together:
        yield _join_signs(together)


def _is_next_below(above: _Sign, sign: _Sign) -> bool:
    """Tell whether a character directly follows the one above it. A dash may be off-centre."""
    beside = abs(above.across - sign.across) > above.width
    return not beside and 0 < above.top - sign.top < FALLING_SIZES * max(above.width, above.top - above.bottom)


def _join_signs(signs: Sequence[_Sign]) -> _Sign:
    first = signs[0]
    return _Sign("".join(sign.text for sign in signs), first.left, signs[-1].bottom, first.right, first.top)


def _iter_columns(signs: Sequence[_Sign]) -> Iterator[PdfLine]:
    """Yield the columns from right to left, each from the top, tier by tier. A gazette page has several tiers."""
    for tier in _split_tiers(signs):
        columns = list(_group_columns(tier))
        heads = sorted((column[0].top for column in columns), reverse=True)
        head = heads[len(heads) // OUTLIER_DIVISOR]
        yield from (_join_column(column, head) for column in columns)


def _split_tiers(signs: Sequence[_Sign]) -> Iterator[list[_Sign]]:
    """Split a page at gaps across its width. A heading at the side may fill the gap in one column."""
    if not signs:
        return
    step = max(1.0, median(sign.width for sign in signs) / TIER_STEPS)
    drawn = Counter(place for sign in signs for place in range(round(sign.bottom / step), round(sign.top / step)))
    few = max(1.0, TIER_GAP_SHARE * max(drawn.values(), default=0))
    rest, above = sorted(signs, key=lambda sign: -(sign.top + sign.bottom)), 0
    edges = [place for place in range(max(drawn, default=0), min(drawn, default=0), -1) if drawn[place] <= few]
    for gap in _long_runs(edges, round(TIER_GAP_WIDTHS * TIER_STEPS)):
        if drawn[gap[0] + 1] <= few or drawn[gap[-1] - 1] <= few:  # where one column is longer than the others
            continue
        middle = step * (gap[0] + gap[-1] + 1)
        below = next((place for place, sign in enumerate(rest) if sign.top + sign.bottom < middle), len(rest))
        if below > above:
            yield rest[above:below]
        above = below
    if rest[above:]:
        yield rest[above:]


def _long_runs(steps: Sequence[int], least: int) -> Iterator[list[int]]:
    """Yield the runs of consecutive steps that are long enough, from top to bottom."""
    run: list[int] = []
    for step in [*steps, -sys.maxsize]:
        if run and run[-1] - step != 1:
            if len(run) >= least:
                yield run
            run = []
        run.append(step)


def _group_columns(signs: Sequence[_Sign]) -> Iterator[list[_Sign]]:
    """Group characters into columns, each from the top."""
    column: list[_Sign] = []
    for sign in sorted(signs, key=lambda sign: -sign.across):
        if column and column[0].across - sign.across > SAME_COLUMN_WIDTHS * column[0].width:
            yield sorted(column, key=lambda sign: -sign.top)
            column = []
        column.append(sign)
    if column:
        yield sorted(column, key=lambda sign: -sign.top)


def _join_column(column: Sequence[_Sign], head: float) -> PdfLine:
    first = column[0]
    text = "".join(sign.text for sign in column)
    return PdfLine(text, head - first.top, head - column[-1].bottom, first.across, first.width)


def group_paragraphs(lines: Sequence[PdfLine]) -> Iterator[str]:
    """Group the lines of a page into paragraphs. A paragraph starts with an indent and ends with a shorter line."""
    if not lines:
        return
    few = len(lines) // OUTLIER_DIVISOR  # lines that may be outliers on either side: heads, notes
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
