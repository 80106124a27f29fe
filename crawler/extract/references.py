"""Lists of links that are part of what a page says: the contents of a manual's chapter, what it says to see also."""

import re

from crawler.extract.blocks import PageBlocks
from crawler.extract.prose import is_navigation, runs_on

HEADING = re.compile(
    r"^[\s▎■●【\[]*(?:相关主题|相關主題|另请参[阅见]|另請參[閱見]|请?参[阅见看]|參[閱見]|另[见見]|参考(?:文献|资料|链接)|參考文獻|see also|"
    r"related topics|references)[\s:：】\]]*$",
    re.IGNORECASE,
)
LABEL = re.compile(r"\b(?:related-?topics|see-?also|toctree-wrapper|bibliography)\b")
_LONGEST = 16  # characters of such a heading
_MOST_HEADINGS = 20  # of a page


def references_of(blocks: PageBlocks, *, manual: bool) -> set[int]:
    """The elements whose links are text. manual: whether the page says that it is one of a manual's."""
    roots = {number for number, element in enumerate(blocks.elements) if LABEL.search(element.label)}
    headings = [line.element for line in blocks.lines if len(line.text) <= _LONGEST and HEADING.match(line.text)]
    roots.update(_around(blocks, heading) for heading in headings[:_MOST_HEADINGS])
    if manual:
        titles = [number for number, element in enumerate(blocks.elements) if element.tag == "h1"]
        roots.update(_around(blocks, title, more_than_titles=True) for title in titles[:_MOST_HEADINGS])
    roots.discard(0)
    return below(blocks, roots)


def below(blocks: PageBlocks, roots: set[int]) -> set[int]:
    """Elements and all that stands in them."""
    found = set(roots)
    if roots:
        for number in range(min(roots) + 1, len(blocks.elements)):
            if blocks.elements[number].parent in found:
                found.add(number)
    return found


def _around(blocks: PageBlocks, heading: int, *, more_than_titles: bool = False) -> int:
    """The smallest element around a heading that holds more than it."""
    around = heading
    while around:
        inside = below(blocks, {around})
        lines = [line for line in blocks.lines if line.element in inside and line.element != heading]
        if any(runs_on(line) or is_navigation(line) for line in lines) or (lines and not more_than_titles):
            return around
        around = blocks.elements[around].parent
    return 0


def is_reference(blocks: PageBlocks, place: int, references: set[int]) -> bool:
    """Whether a line is a link of such a list."""
    line = blocks.lines[place]
    return line.element in references and is_navigation(line)
