"""Lists of links that are part of what a page says: the contents of a manual's chapter, what it says to see also."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate

from crawler.extract.choosing.navigation import is_navigation
from crawler.extract.choosing.prose import runs_on
from crawler.extract.page_lines import PageBlocks, ends_of

HEADING = re.compile(
    r"^[\s▎■●【\[]*(?:相关主题|相關主題|另请参[阅见]|另請參[閱見]|请?参[阅见看]|參[閱見]|另[见見]|参考(?:文献|资料|链接)|參考文獻|"
    r"see also|related topics|references)[\s:：】\]]*$",
    re.IGNORECASE,
)
LABEL = re.compile(r"\b(?:related-?topics|see-?also|toctree-wrapper|bibliography)\b")
_IN_LABELS = ("topics", "also", "toctree", "bibliography")  # none is such without one of them
_LONGEST = 16  # characters of such a heading
_LONGEST_LINK = 200  # characters
_MOST_HEADINGS = 20  # of a page


def references_of(blocks: PageBlocks, headings: Sequence[int], *, manual: bool) -> set[int]:
    """The elements whose links are text. headings: the elements of the lines that `heads_references` tells. manual:
    whether the page says that it is one of a manual's.
    """
    labels = {element.label for element in blocks.elements}
    named = {label for label in labels if LABEL.search(label)} if _any_holds(labels, _IN_LABELS) else set()
    roots = {number for number, element in enumerate(blocks.elements) if element.label in named} if named else set()
    if headings:
        tree = _Tree(blocks, [line.element for line in blocks.lines])
        roots.update(tree.around(heading) for heading in headings[:_MOST_HEADINGS])
    titles = [number for number, element in enumerate(blocks.elements) if element.tag == "h1"] if manual else []
    if titles:
        tree = _Tree(blocks, [line.element for line in blocks.lines if runs_on(line) or is_navigation(line)])
        roots.update(tree.around(title) for title in titles[:_MOST_HEADINGS])
    roots.discard(0)
    return below(blocks, roots)


def heads_references(text: str) -> bool:
    """Whether a line is a heading over such a list."""
    return len(text) <= _LONGEST and HEADING.match(text) is not None


def _any_holds(labels: Iterable[str], words: Iterable[str]) -> bool:
    joined = "\n".join(labels)
    return any(word in joined for word in words)


def below(blocks: PageBlocks, roots: set[int]) -> set[int]:
    """Elements and all that stands in them."""
    found = set(roots)
    if roots:
        for number in range(min(roots) + 1, len(blocks.elements)):
            if blocks.elements[number].parent in found:
                found.add(number)
    return found


class _Tree:
    """A page's elements, and how many lines of some kind each holds."""

    def __init__(self, blocks: PageBlocks, holders: Iterable[int]) -> None:
        self._elements = blocks.elements
        self._ends = ends_of(blocks.elements)
        held = Counter(holders)
        self._before = list(accumulate((held[number] for number in range(len(self._elements))), initial=0))

    def around(self, heading: int) -> int:
        """The smallest element around a heading that holds more than it."""
        own = self._held(heading)
        around = self._elements[heading].parent
        while around and self._held(around) == own:
            around = self._elements[around].parent
        return around

    def _held(self, element: int) -> int:
        return self._before[self._ends[element]] - self._before[element]


def is_reference(blocks: PageBlocks, place: int, references: set[int]) -> bool:
    """Whether a line is a link of such a list; many links in one line are a box that leads on."""
    line = blocks.lines[place]
    return line.element in references and is_navigation(line) and len(line.text) <= _LONGEST_LINK
