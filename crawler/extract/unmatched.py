"""What a page shows beside the text that was matched, and why it was left out of it.

The matched text consists of lines of the page, some without the advertising inside them. All other lines are told here,
each with the place in the matched text before which it stood.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rapidfuzz.distance import Indel
from selectolax.lexbor import LexborHTMLParser

from crawler.extract.charset import decode, header_charset
from crawler.extract.choosing.bylines_and_buttons import is_buttons, is_byline
from crawler.extract.choosing.disclaimers import is_reservation
from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.site_notices import is_said_by_the_site
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page import extract
from crawler.extract.page_lines import TextLine, blocks_of
from crawler.extract.watermarks import without_watermarks


class UnmatchedReason(StrEnum):
    """Why something that a page shows was not matched."""

    RECURRING = "recurring"  # other pages of the host show it, too
    ADVERT = "advert"
    NAVIGATION = "navigation"
    FURNITURE = "furniture"  # buttons, bylines, the words of the law
    BESIDE = "beside"  # comments, side bars and the like


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A stretch of a page: whole lines, or a part of one.

    at: the code point of the matched text before which it stood.
    """

    at: int
    text: str
    reason: UnmatchedReason
    inside: bool = False  # a part of a line


def unmatched(body: bytes, headers: Sequence[tuple[str, str]], url: str, text: str) -> list[Unmatched]:
    """What of a page is not in its matched text, in order; headers: as for `crawler.extract.page.extract`."""
    tree = LexborHTMLParser(bounded(decode(body, header_charset(headers)).text).replace("\0", ""))
    main = set(extract(body, headers, url).text.split("\n"))
    return list(_joined(_told(blocks_of(tree).lines, main, text.split("\n"))))


def _told(shown: Sequence[TextLine], main: set[str], matched: Sequence[str]) -> list[Unmatched]:
    places = _Places(matched)
    told: list[Unmatched] = []
    for line in shown:
        clean = next(iter(without_watermarks([line.text])), "")
        if line.text in places:
            places.pass_by(line.text)
        elif clean in places:
            told.extend(_adverts(line.text, clean, places.pass_by(clean)))
        elif any(map(str.isalnum, line.text)):
            told.append(Unmatched(places.at, line.text, _reason(line, clean, main)))
    return sorted(told, key=lambda one: one.at)


class _Places:
    """The lines of the matched text, and how far the page was read. Lines recur, and pages show them in menus, too: the
    nearest one is meant.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self.at = 0  # the beginning of the line that comes next
        self._next = 0
        self._starts = [0]
        self._lines: defaultdict[str, list[int]] = defaultdict(list)
        for number, line in enumerate(lines):
            self._lines[line].append(number)
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._starts[-1] -= 1  # no feed follows the last line

    def __contains__(self, line: str) -> bool:
        return bool(line) and line in self._lines

    def pass_by(self, line: str) -> int:
        """Where this line begins; it was read."""
        numbers = self._lines[line]
        behind = bisect_left(numbers, self._next)
        number = min(numbers[max(0, behind - 1) : behind + 1], key=lambda one: abs(one - self._next))
        self._next = number + 1
        self.at = self._starts[self._next]
        return self._starts[number]


def _reason(line: TextLine, clean: str, main: set[str]) -> UnmatchedReason:
    if line.text in main or (clean and clean in main):
        return UnmatchedReason.RECURRING
    if is_navigation(line):
        return UnmatchedReason.NAVIGATION
    if is_buttons(line.text) or is_byline(line.text) or is_said_by_the_site(line.text) or is_reservation(line.text):
        return UnmatchedReason.FURNITURE
    return UnmatchedReason.BESIDE if clean == line.text else UnmatchedReason.ADVERT


def _adverts(line: str, clean: str, start: int) -> Iterator[Unmatched]:
    for step in Indel.opcodes(line, clean):
        gone = line[step.src_start : step.src_end] if step.tag == "delete" else ""
        if any(map(str.isalnum, gone)):
            yield Unmatched(start + step.dest_start, gone, UnmatchedReason.ADVERT, inside=True)


def _joined(told: Sequence[Unmatched]) -> Iterator[Unmatched]:
    """Lines that stood together for one reason as one stretch."""
    last: Unmatched | None = None
    for one in told:
        if last and not (last.inside or one.inside) and (last.at, last.reason) == (one.at, one.reason):
            last = replace(last, text=f"{last.text}\n{one.text}")
            continue
        if last:
            yield last
        last = one
    if last:
        yield last
