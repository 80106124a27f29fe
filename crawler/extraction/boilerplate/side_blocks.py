"""Strip blocks of the main text that lead elsewhere, by language-independent signs: links, position, tags.

The wording of boilerplate differs by language. That it is mostly links, or outside of the container that holds the
paragraphs, is the same in every language.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from crawler.extraction.boilerplate.dated_rows import strip_digits
from crawler.extraction.boilerplate.line_classification import (
    BYLINE_LABEL,
    LONG_LINE_CHARACTERS,
    SENTENCE_STOPS,
    is_byline,
    is_running_text,
    select_prose,
)
from crawler.extraction.page_lines import HEADING_TAGS, Element, TextLine

_PARAGRAPH_TAGS = frozenset(("p", "li"))
_DATA_TAGS = frozenset(("td", "th", "dd", "dt", "li", "pre"))  # their short lines at the end may be text
_MIN_LINKED_SHARE = 0.5  # share of link characters of a block that leads elsewhere
_MIN_LONE_LINKED_SHARE = 0.7  # share of a block of one line
_MAX_RUNNING_SHARE = 0.25  # share of running text in it
_MIN_BLOCK_LINES = 2
_MIN_HELD_SHARE = 0.8  # share of the running text that the text container holds in its own paragraphs
_MIN_DEEPLY_HELD_SHARE = 0.9  # share that it holds in sections
_MAX_HEAD_CHARACTERS = 30  # characters of a short line before the first paragraph
_MIN_TITLE_CHARACTERS = 2  # characters of a line that repeats the title of the page
_SENTENCE_MARK = re.compile(r"[.!?](?:\s|$)")


def strip_side_blocks(
    lines: Sequence[TextLine], elements: Sequence[Element], references: Collection[int], title: str
) -> list[TextLine]:
    """Return the lines without side blocks. At least half of the lines stay.

    references: the elements whose links are text. title: the page's title, which stays before the text.
    """
    running = {id(line) for line in lines if is_running_text(line)}
    if not running:
        return list(lines)
    kept = _strip_linked_blocks(lines, elements, references, running)
    kept = _strip_around_container(kept, elements, references, running, title)
    if 2 * _unlinked_length(kept) < _unlinked_length(lines):
        return list(lines)
    return list(kept)


def _unlinked_length(lines: Sequence[TextLine]) -> int:
    return sum(len(line.text) - line.linked for line in lines)


def _strip_linked_blocks(
    lines: Sequence[TextLine], elements: Sequence[Element], references: Collection[int], running: Collection[int]
) -> Sequence[TextLine]:
    """Return the lines without blocks that are mostly links. Links before a byline belong to the text."""
    gone = _linked_elements(lines, elements, references, running)
    if not gone:
        return lines
    begin = next(place for place, line in enumerate(lines) if id(line) in running)
    end = next((place for place in range(len(lines) - 1, begin, -1) if _is_byline(lines[place].text)), begin)
    if any(line.element in gone for line in lines[begin:end]):
        spared = {line.element for line in lines[begin:end]}
        gone = _linked_elements(lines, elements, spared.union(references), running)
    return [line for line in lines if line.element not in gone]


def _is_byline(text: str) -> bool:
    return is_byline(text) or BYLINE_LABEL.match(text) is not None


def _linked_elements(
    lines: Sequence[TextLine], elements: Sequence[Element], spared: Collection[int], running: Collection[int]
) -> set[int]:
    """Return the elements of the outermost blocks that are mostly links, and their descendants.

    spared: elements whose links are text.
    """
    if not any(line.linked for line in lines):
        return set()
    count, whole, linked, prose = ([0] * len(elements) for _ in range(4))
    for line in lines:
        number = line.element
        count[number] += 1
        whole[number] += len(line.text)
        if number not in spared:
            linked[number] += min(line.linked, len(line.text))
        if id(line) in running:
            prose[number] += len(line.text)
    single = {
        line.element
        for line in lines
        if elements[line.element].tag == "div"
        and line.linked >= _MIN_LONE_LINKED_SHARE * len(line.text)
        and _is_short(line.text)
    }
    holders = _add_to_ancestors(elements, {line.element for line in lines}, count, whole, linked, prose)
    gone: set[int] = set()
    for number in holders:
        if elements[number].parent in gone or (
            (count[number] >= _MIN_BLOCK_LINES or number in single)
            and linked[number] >= _MIN_LINKED_SHARE * whole[number]
            and prose[number] <= _MAX_RUNNING_SHARE * whole[number]
        ):
            gone.add(number)
    return gone


def _add_to_ancestors(elements: Sequence[Element], filled: Iterable[int], *amounts: list[int]) -> list[int]:
    """Add the amounts of each element to its ancestors. Return the elements that hold anything, without the root, in
    order.

    filled: the elements that have amounts of their own. amounts: by the number of the element.
    """
    holders: set[int] = set()
    for holder in filled:
        number = holder
        while number and number not in holders:
            holders.add(number)
            number = elements[number].parent
    ordered = sorted(holders)
    for number in reversed(ordered):
        parent = elements[number].parent
        for amount in amounts:
            amount[parent] += amount[number]
    return ordered


def _strip_around_container(
    lines: Sequence[TextLine],
    elements: Sequence[Element],
    references: Collection[int],
    running: Collection[int],
    title: str,
) -> Sequence[TextLine]:
    """Return the lines without those behind the text container, and without short ones before it.

    The container holds nearly all running text in paragraphs of its own. A text in several sections has none.
    """
    own = Counter[int]()
    for line in lines:
        if id(line) in running:
            paragraph = elements[line.element].tag in _PARAGRAPH_TAGS
            own[elements[line.element].parent if paragraph else line.element] += len(line.text)
    container, is_flat = _find_container(elements, own)
    if not container:
        return lines
    kindred = _kindred_parts(elements, container)
    inside = {number for number in {line.element for line in lines} if _is_inside(elements, number, container, kindred)}
    places = [place for place, line in enumerate(lines) if line.element in inside]
    first, last = places[0], places[-1] + 1
    head = [
        line
        for line in lines[:first]
        if elements[line.element].tag in HEADING_TAGS or not _is_short(line.text) or is_in_title(line.text, title)
    ]
    prose = set() if is_flat else set(map(id, select_prose(lines[last:])))
    tail = [line for line in lines[last:] if line.element in references or id(line) in prose]
    body = _strip_head(lines[first:last], elements, references, running, title)
    return [*head, *_strip_tail(body, elements, references, running), *tail]


def _find_container(elements: Sequence[Element], own: Counter[int]) -> tuple[int, bool]:
    """Return the element that holds the text, 0 for none, and whether it does so in its own paragraphs or in sections.

    own: running text in the paragraphs of each element.
    """
    container = max(own, key=own.__getitem__, default=0)
    if own[container] >= _MIN_HELD_SHARE * own.total():
        return container, True
    held = [0] * len(elements)
    for number, amount in own.items():
        held[number] = amount
    for number in reversed(_add_to_ancestors(elements, own, held)):
        if held[number] >= _MIN_DEEPLY_HELD_SHARE * own.total():
            return number, False
    return 0, False


def _kindred_parts(elements: Sequence[Element], container: int) -> dict[int, tuple[str, str]]:
    """Return the kind that a sibling of the container or of its ancestors must have to belong to the same text.

    The keys are their parents. Such siblings may be other posts or other sections.
    """
    kinds: dict[int, tuple[str, str]] = {}
    number = container
    while number:
        element = elements[number]
        kinds[element.parent] = element.tag, strip_digits(element.label)
        number = element.parent
    return kinds


def _is_inside(elements: Sequence[Element], number: int, container: int, kindred: dict[int, tuple[str, str]]) -> bool:
    while number:
        element = elements[number]
        if number == container or kindred.get(element.parent) == (element.tag, strip_digits(element.label)):
            return number == container or number not in kindred
        number = element.parent
    return False


def _strip_head(
    lines: Sequence[TextLine],
    elements: Sequence[Element],
    references: Collection[int],
    running: Collection[int],
    title: str,
) -> Sequence[TextLine]:
    """Return the container's lines without short ones before its first paragraph that resemble no paragraph."""
    kinds = {_kind(elements, line) for line in lines if id(line) in running}
    first = next((place for place, line in enumerate(lines) if id(line) in running), 0)
    head = [
        line
        for line in lines[:first]
        if line.element in references
        or elements[line.element].tag in _DATA_TAGS | HEADING_TAGS
        or len(line.text) > _MAX_HEAD_CHARACTERS
        or not _is_short(line.text)
        or is_in_title(line.text, title)
        or _kind(elements, line) in kinds
    ]
    return [*head, *lines[first:]]


def _strip_tail(
    lines: Sequence[TextLine], elements: Sequence[Element], references: Collection[int], running: Collection[int]
) -> Sequence[TextLine]:
    """Return the container's lines without short ones at its end that resemble no paragraph."""
    kinds = {_kind(elements, line) for line in lines if id(line) in running}
    end = len(lines)
    while end:
        line = lines[end - 1]
        if line.element in references or elements[line.element].tag in _DATA_TAGS or BYLINE_LABEL.match(line.text):
            break
        if not _is_short(line.text) or _kind(elements, line) in kinds:
            break
        end -= 1
    return lines[:end]


def _kind(elements: Sequence[Element], line: TextLine) -> tuple[int, str, str]:
    element = elements[line.element]
    return element.parent, element.tag, element.label


def is_in_title(text: str, title: str) -> bool:
    """Tell whether a line is part of the page's title."""
    return len(text) >= _MIN_TITLE_CHARACTERS and text in title


def _is_short(text: str) -> bool:
    """Tell whether a line is no sentence."""
    return (
        len(text) < LONG_LINE_CHARACTERS and SENTENCE_STOPS.search(text) is None and _SENTENCE_MARK.search(text) is None
    )
