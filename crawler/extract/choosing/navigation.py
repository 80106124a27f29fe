"""Lines that lead elsewhere, and are no part of the text. What is one by the name of its element: `unlikely_parts`."""

import re
from typing import Final

from crawler.extract.page_lines import TextLine

_LINKED: Final = 0.5  # share of link characters from which a line is navigation
_SOME: Final = 0.2  # share from which its letters are counted
_LABEL: Final = 6  # letters of what may be said before a row of links or between them
_SENTENCE: Final = re.compile(r"[。！？；，]")


def is_navigation(line: TextLine) -> bool:
    """Whether most of what a line says are links, brackets and arrows aside, or all of it behind a label.

    >>> is_navigation(TextLine(0, "[收藏] [打印]", linked=4)), is_navigation(TextLine(0, "标签：渡船", linked=2))
    (True, True)
    """
    if line.linked > _LINKED * len(line.text):
        return True
    return line.linked > _SOME * len(line.text) and _SENTENCE.search(line.text) is None and _says_little_else(line)


def _says_little_else(line: TextLine) -> bool:
    letters = sum(map(str.isalnum, line.text))
    if letters - line.linked > _LABEL:
        return False
    label, colon, _ = line.text[: _LABEL + 1].partition("：")
    return line.linked > _LINKED * letters or (bool(colon) and line.linked >= letters - len(label))
