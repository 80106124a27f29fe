"""List the text of a page that is not in its matched text, with the reason why it was dropped.

The matched text consists of lines of the page, some without the advertising inside them. All other lines are listed
here, each with its position in the matched text.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.distance import Indel
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.boilerplate.line_classification import (
    is_button_line,
    is_byline,
    is_navigation,
    is_running_text,
)
from crawler.extraction.boilerplate.link_lists import descendants_of
from crawler.extraction.boilerplate.site_notices import is_disclaimer, is_site_notice
from crawler.extraction.boilerplate.watermarks import strip_watermarks
from crawler.extraction.charset import decode_bytes, header_charset
from crawler.extraction.model import DroppedText, DropReason
from crawler.extraction.page import extract_html
from crawler.extraction.page_lines import TextLine, extract_blocks
from crawler.extraction.parsing import bound_markup


def find_dropped_text(body: bytes, headers: Sequence[tuple[str, str]], url: str, text: str) -> list[DroppedText]:
    """Return the text of a page that is not in its matched text, in order.

    headers: as for `crawler.extraction.page.extract_html`.
    """
    tree = LexborHTMLParser(bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", ""))
    main = set(extract_html(body, headers, url).text.split("\n"))
    return list(_join_dropped(_collect_dropped(extract_blocks(tree).lines, main, text.split("\n"))))


def measure_dropped_prose(body: bytes, headers: Sequence[tuple[str, str]], text: str) -> float:
    """Return the share of a page's visible prose, by characters, that is not in its extracted text. 0.0 without prose.

    Prose is running text without links, legal notices and text that a style hides.
    """
    tree = LexborHTMLParser(bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", ""))
    blocks = extract_blocks(tree)
    hidden = descendants_of(blocks, {number for number, element in enumerate(blocks.elements) if element.hidden})
    prose = [line.text for line in blocks.lines if line.element not in hidden and is_running_text(line)]
    places = _MatchedLines(text.split("\n"))
    dropped = [line for line in prose if line not in places and "".join(strip_watermarks([line])) not in places]
    return sum(map(len, dropped)) / max(1, sum(map(len, prose)))


def _collect_dropped(shown: Sequence[TextLine], main: set[str], matched: Sequence[str]) -> list[DroppedText]:
    places = _MatchedLines(matched)
    dropped_texts: list[DroppedText] = []
    for line in shown:
        clean = next(iter(strip_watermarks([line.text])), "")
        if line.text in places:
            places.move_past(line.text)
        elif clean in places:
            dropped_texts.extend(_inline_adverts(line.text, clean, places.move_past(clean)))
        elif any(map(str.isalnum, line.text)):
            dropped_texts.append(DroppedText(places.offset, line.text, _drop_reason(line, clean, main)))
    return sorted(dropped_texts, key=lambda dropped: dropped.offset)


class _MatchedLines:
    """Locate lines in the matched text, and track how far the page was read.

    Lines recur, also in menus, so the nearest one is taken.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.offset = 0  # the start of the next line
        self._next = 0
        self._starts = [0]
        self._lines: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(lines):
            self._lines[line].append(number)
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._starts[-1] -= 1  # no line feed follows the last line

    def __contains__(self, line: str) -> bool:
        return bool(line) and line in self._lines

    def move_past(self, line: str) -> int:
        """Return the start of this line and move behind it."""
        numbers = self._lines[line]
        behind = bisect_left(numbers, self._next)
        number = min(numbers[max(0, behind - 1) : behind + 1], key=lambda candidate: abs(candidate - self._next))
        self._next = number + 1
        self.offset = self._starts[self._next]
        return self._starts[number]


def _drop_reason(line: TextLine, clean: str, main: set[str]) -> DropReason:
    if line.text in main or (clean and clean in main):
        return DropReason.RECURRING
    if is_navigation(line):
        return DropReason.NAVIGATION
    if is_button_line(line.text) or is_byline(line.text) or is_site_notice(line.text) or is_disclaimer(line.text):
        return DropReason.FURNITURE
    return DropReason.BESIDE if clean == line.text else DropReason.ADVERT


def _inline_adverts(line: str, clean: str, start: int) -> Iterator[DroppedText]:
    for step in Indel.opcodes(line, clean):
        gone = line[step.src_start : step.src_end] if step.tag == "delete" else ""
        if any(map(str.isalnum, gone)):
            yield DroppedText(start + step.dest_start, gone, DropReason.ADVERT, inside=True)


def _join_dropped(dropped_texts: Sequence[DroppedText]) -> Iterator[DroppedText]:
    """Join adjacent lines that were dropped for the same reason."""
    last: DroppedText | None = None
    for dropped in dropped_texts:
        if (
            last
            and not (last.inside or dropped.inside)
            and (last.offset, last.reason) == (dropped.offset, dropped.reason)
        ):
            last = replace(last, text=f"{last.text}\n{dropped.text}")
            continue
        if last:
            yield last
        last = dropped
    if last:
        yield last
