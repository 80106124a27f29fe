"""Lists of other pages, each told by its title and the beginning of its text, as on front pages and below articles."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.page_lines import Element, PageBlocks

_CUT = re.compile(
    r"(?:…|\.\.\.|。。。|[\[【（(]详细[\]】）)]|(?:阅读|查看|展开)(?:全文|更多|原文)|详情)[\s>»\]】）)]*$"
)
# How a text that breaks off ends: the pattern is asked of no other.
_LAST = ("…", "...", "。。。", "全文", "更多", "原文", "详情", ">", "»", "]", "】", "）", ")")
_LEAST = 3  # of one kind beside each other
_MOST_CUT = 0.6  # share of them whose text breaks off
_TITLE = 6  # characters of a title that leads to a page
_TEXT = 220  # characters of a teaser that are no link


@dataclass(slots=True)
class _Held:
    """What an element holds, together with all below it."""

    title: bool = False
    cut: bool = False
    plain: int = 0

    def add(self, title: bool, cut: bool, plain: int) -> None:
        self.title = self.title or title
        self.cut = self.cut or cut
        self.plain += plain

    def is_teaser(self) -> bool:
        return self.title and self.cut and self.plain <= _TEXT


def teasers_of(blocks: PageBlocks, cut: int) -> set[int]:
    """The elements of a page that stand in such lists, those inside them included. cut: lines of it that break off."""
    if cut < _MOST_CUT * _LEAST:
        return set()
    found: set[int] = set()
    held = _held(blocks)
    for siblings in _alike(blocks.elements):
        if len(siblings) >= _LEAST and sum(held[one].is_teaser() for one in siblings) >= _MOST_CUT * len(siblings):
            found.update(siblings)
    for number, element in enumerate(blocks.elements):
        if number and element.parent in found:
            found.add(number)
    return found


def _held(blocks: PageBlocks) -> Sequence[_Held]:
    held = [_Held() for _ in blocks.elements]
    for line in blocks.lines:
        links = is_navigation(line)
        title = line.lead >= _TITLE or (links and len(line.text) >= _TITLE)  # the text may go on behind it
        cut = not links and breaks_off(line.text)
        held[line.element].add(title, cut, len(line.text) - line.linked)
    for number in range(len(held) - 1, 0, -1):
        one = held[number]
        held[blocks.elements[number].parent].add(one.title, one.cut, one.plain)
    return held


def breaks_off(text: str) -> bool:
    """Whether a line ends as the beginning of a text does that goes on elsewhere."""
    return text.endswith(_LAST) and _CUT.search(text) is not None


def _alike(elements: Sequence[Element]) -> Sequence[list[int]]:
    """The elements that share parent, tag and label."""
    groups: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for number, element in enumerate(elements):
        if number:
            groups[element.parent, element.tag, element.label].append(number)
    return list(groups.values())
