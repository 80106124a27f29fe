"""Lists of other pages, each told by its title and the beginning of its text, as on front pages and below articles."""

import re
from collections import defaultdict
from collections.abc import Sequence

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


def teasers_of(blocks: PageBlocks, cut: int) -> set[int]:
    """The elements of a page that stand in such lists, those inside them included. cut: lines of it that break off."""
    if cut < _MOST_CUT * _LEAST:
        return set()
    found: set[int] = set()
    teasers = _teasers(blocks)
    for siblings in _alike(blocks.elements):
        if len(siblings) >= _LEAST and len(teasers.intersection(siblings)) >= _MOST_CUT * len(siblings):
            found.update(siblings)
    for number, element in enumerate(blocks.elements):
        if number and element.parent in found:
            found.add(number)
    return found


def _teasers(blocks: PageBlocks) -> set[int]:
    """The elements that hold, together with all below them, a title, a text that breaks off, and little else."""
    elements = blocks.elements
    titles, cuts, plain = set[int](), set[int](), [0] * len(elements)
    for line in blocks.lines:
        links = is_navigation(line)
        if line.lead >= _TITLE or (links and len(line.text) >= _TITLE):  # the text may go on behind it
            titles.add(line.element)
        if not links and breaks_off(line.text):
            cuts.add(line.element)
        plain[line.element] += len(line.text) - line.linked
    for number in range(len(elements) - 1, 0, -1):
        plain[elements[number].parent] += plain[number]
    both = _with_those_around(titles, elements) & _with_those_around(cuts, elements)
    return {number for number in both if plain[number] <= _TEXT}


def _with_those_around(inside: set[int], elements: Sequence[Element]) -> set[int]:
    found = {0} if inside else set[int]()
    for one in inside:
        number = one
        while number not in found:
            found.add(number)
            number = elements[number].parent
    return found


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
