"""Find lists of links: teasers of other pages, and references that are text."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

from crawler.extraction.boilerplate.line_classification import is_navigation, is_running_text
from crawler.extraction.page_lines import Element, PageBlocks, element_ends

_TEXT_BREAK = re.compile(
    r"(?:…|\.\.\.|。。。|[\[【（(]详细[\]】）)]|(?:阅读|查看|展开)(?:全文|更多|原文)|详情)[\s>»\]】）)]*$"
)
# Endings of a truncated text: a cheap test before the full pattern.
_BREAK_ENDINGS = ("…", "...", "。。。", "全文", "更多", "原文", "详情", ">", "»", "]", "】", "）", ")")
_MIN_TEASERS = 3  # siblings of one kind
_MIN_CUT_SHARE = 0.6  # share of them whose text is truncated
_MIN_LARGE_CUT_SHARE = 0.9  # ... if the rows hold more than the rest of the page
_MIN_TITLE_CHARACTERS = 6  # characters of a title that links to a page
_MAX_TEASER_CHARACTERS = 220  # characters of a teaser outside of links


def find_teasers(blocks: PageBlocks, cut: int) -> set[int]:
    """Return the elements of teaser lists, nested ones included. cut: the page's number of truncated lines."""
    if cut < _MIN_CUT_SHARE * _MIN_TEASERS:
        return set()
    teasers = _teaser_elements(blocks)
    rows = [
        siblings
        for siblings in _sibling_groups(blocks.elements, teasers)
        if len(siblings) >= _MIN_TEASERS and len(teasers.intersection(siblings)) >= _MIN_CUT_SHARE * len(siblings)
    ]
    if not rows:
        return set()
    elements = _with_descendants(blocks, rows)
    running = [(line.element in elements, len(line.text)) for line in blocks.lines if is_running_text(line)]
    taken = sum(length for inside, length in running if inside)
    if 2 * taken > sum(length for _, length in running):
        # Rows, linked titles, and truncated texts. If more goes than stays, nearly all rows must match.
        return _with_descendants(
            blocks, [row for row in rows if len(teasers.intersection(row)) >= _MIN_LARGE_CUT_SHARE * len(row)]
        )
    return elements


def _with_descendants(blocks: PageBlocks, rows: Iterable[Sequence[int]]) -> set[int]:
    numbers = {number for row in rows for number in row}
    for number, element in enumerate(blocks.elements):
        if number and element.parent in numbers:
            numbers.add(number)
    return numbers


def _teaser_elements(blocks: PageBlocks) -> set[int]:
    """Return the elements that hold, with their descendants, a title, a truncated text, and little else."""
    elements = blocks.elements
    titles, cuts, plain = set[int](), set[int](), [0] * len(elements)
    for line in blocks.lines:
        links = is_navigation(line)
        if line.lead >= _MIN_TITLE_CHARACTERS or (
            links and len(line.text) >= _MIN_TITLE_CHARACTERS
        ):  # the text may continue behind it
            titles.add(line.element)
        if not links and is_breaking_off(line.text):
            cuts.add(line.element)
        plain[line.element] += len(line.text) - line.linked
    for number in range(len(elements) - 1, 0, -1):
        plain[elements[number].parent] += plain[number]
    both = _with_ancestors(titles, elements) & _with_ancestors(cuts, elements)
    return {number for number in both if plain[number] <= _MAX_TEASER_CHARACTERS}


def _with_ancestors(inside: set[int], elements: Sequence[Element]) -> set[int]:
    ancestors = {0} if inside else set[int]()
    for element in inside:
        number = element
        while number not in ancestors:
            ancestors.add(number)
            number = elements[number].parent
    return ancestors


def is_breaking_off(text: str) -> bool:
    """Tell whether a line ends like the beginning of a text that continues elsewhere."""
    return text.endswith(_BREAK_ENDINGS) and _TEXT_BREAK.search(text) is not None


def _sibling_groups(elements: Sequence[Element], some: Collection[int]) -> Sequence[list[int]]:
    """Return the groups of elements with the same parent, tag and label. Groups without some of these may be absent."""
    parents = {elements[number].parent for number in some}
    groups: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for number, element in enumerate(elements):
        if element.parent in parents and number:
            groups[element.parent, element.tag, element.label].append(number)
    return list(groups.values())


# Lists of links that are text: the contents of a manual's chapter, its "see also" lists.


REFERENCE_HEADING = re.compile(
    r"^[\s▎■●【\[]*(?:相关主题|相關主題|另请参[阅见]|另請參[閱見]|请?参[阅见看]|參[閱見]|另[见見]|参考(?:文献|资料|链接)|參考文獻|"
    r"see also|related topics|references)[\s:：】\]]*$",
    re.IGNORECASE,
)
REFERENCE_LABEL = re.compile(r"\b(?:related-?topics|see-?also|toctree-wrapper|bibliography)\b")
_LABEL_WORDS = ("topics", "also", "toctree", "bibliography")  # every such label has one of these
_MAX_HEADING_CHARACTERS = 16  # characters of such a heading
_MAX_REFERENCE_CHARACTERS = 200  # characters of a line of such a list
_MAX_HEADINGS = 20  # of a page


def find_references(blocks: PageBlocks, headings: Sequence[int], *, manual: bool) -> set[int]:
    """Return the elements whose links are text.

    headings: elements of the lines that satisfy `is_reference_heading`. manual: whether the page declares itself part
    of a manual.
    """
    labels = {element.label for element in blocks.elements}
    named = (
        {label for label in labels if REFERENCE_LABEL.search(label)} if _is_any_word_in(labels, _LABEL_WORDS) else set()
    )
    roots = {number for number, element in enumerate(blocks.elements) if element.label in named} if named else set()
    if headings:
        tree = _LineCounts(blocks, [line.element for line in blocks.lines])
        roots.update(tree.find_container(heading) for heading in headings[:_MAX_HEADINGS])
    titles = [number for number, element in enumerate(blocks.elements) if element.tag == "h1"] if manual else []
    if titles:
        tree = _LineCounts(
            blocks, [line.element for line in blocks.lines if is_running_text(line) or is_navigation(line)]
        )
        roots.update(tree.find_container(title) for title in titles[:_MAX_HEADINGS])
    roots.discard(0)
    return descendants_of(blocks, roots)


def is_reference_heading(text: str) -> bool:
    """Tell whether a line is a heading over such a list."""
    return len(text) <= _MAX_HEADING_CHARACTERS and REFERENCE_HEADING.match(text) is not None


def _is_any_word_in(labels: Iterable[str], words: Iterable[str]) -> bool:
    joined = "\n".join(labels)
    return any(word in joined for word in words)


def descendants_of(blocks: PageBlocks, roots: set[int]) -> set[int]:
    """Return elements with all of their descendants."""
    elements = set(roots)
    if roots:
        for number in range(min(roots) + 1, len(blocks.elements)):
            if blocks.elements[number].parent in elements:
                elements.add(number)
    return elements


class _LineCounts:
    """Count the lines of some kind in each element of a page."""

    def __init__(self, blocks: PageBlocks, holders: Iterable[int]) -> None:
        self._elements = blocks.elements
        self._ends = element_ends(blocks.elements)
        held = Counter(holders)
        self._before = list(accumulate((held[number] for number in range(len(self._elements))), initial=0))

    def find_container(self, heading: int) -> int:
        """Return the smallest element around a heading that holds more than the heading."""
        own = self._count_lines_in(heading)
        around = self._elements[heading].parent
        while around and self._count_lines_in(around) == own:
            around = self._elements[around].parent
        return around

    def _count_lines_in(self, element: int) -> int:
        return self._before[self._ends[element]] - self._before[element]


def is_reference(blocks: PageBlocks, place: int, references: set[int]) -> bool:
    """Tell whether a line is a link of such a list. Many links in one line are a navigation box."""
    line = blocks.lines[place]
    return line.element in references and is_navigation(line) and len(line.text) <= _MAX_REFERENCE_CHARACTERS
