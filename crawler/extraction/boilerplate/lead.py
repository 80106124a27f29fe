"""Find the lead of a text: sentences between the title and the section that holds the text."""

import re
from collections.abc import Sequence

from crawler.extraction.boilerplate.line_classification import is_byline, is_running_text
from crawler.extraction.page_lines import PageBlocks

_MAX_LINES_BEHIND_TITLE = 40  # lines between a title and its text
_MAX_LEAD_LINES = 3
_MAX_LEAD_CHARACTERS = 800
_MAX_LINKED_SHARE = 0.2  # share of link characters of a lead
_MIN_TITLE_CHARACTERS = 4  # characters of a line that shows the title
# A labelled summary repeats the text.
_SUMMARY_LABEL = re.compile(r"summary|abstract|digest|zhaiyao|daodu")
_LEAD_WORDS = frozenset(("header",))  # themes put titles and leads there


def find_lead(
    blocks: PageBlocks, called: Sequence[frozenset[str]], beside: set[int], first: int, title: str
) -> list[int]:
    """Return the positions of the lines of a lead. first: the position of the first line of the text.

    called: for each element, the words that mark it as boilerplate. beside: elements that are never text.
    """
    lines, elements = blocks.lines, blocks.elements
    if elements[lines[first].element].tag == "h1":
        return []
    lead: list[int] = []
    for place in range(first - 1, max(-1, first - _MAX_LINES_BEHIND_TITLE), -1):
        line = lines[place]
        if elements[line.element].tag == "h1" or _is_title_shown(line.text, title):
            return lead if sum(len(lines[number].text) for number in lead) <= _MAX_LEAD_CHARACTERS else []
        if not is_running_text(line) or line.linked > _MAX_LINKED_SHARE * len(line.text) or is_byline(line.text):
            continue
        labels = elements[line.element].label, elements[elements[line.element].parent].label
        if any(map(_SUMMARY_LABEL.search, labels)):
            continue
        if line.element not in beside and called[line.element] <= _LEAD_WORDS:
            lead.insert(0, place)
            if len(lead) > _MAX_LEAD_LINES:
                return []
    return []


def _is_title_shown(text: str, title: str) -> bool:
    shown, whole = sorted((text, title), key=len)
    return len(shown) >= _MIN_TITLE_CHARACTERS and shown in whole
