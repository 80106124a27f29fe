"""Boxes that a name such as `sidebar` or `note` calls something else than the text, and that are text all the same."""

from collections.abc import Iterator, Sequence

from crawler.extract.choosing.prose import prose_of, runs_on
from crawler.extract.page_lines import PageBlocks

# What themes and formats call boxes of the text itself. Comments, the words of the law and what is hidden stay out.
MILD = frozenset(("sidebar", "side-bar", "aside", "related", "relevant", "xiangguan", "editor", "share"))
_MOST = 100  # boxes of a page that are looked at
_LEAST = 25  # characters of running text in a box between two paragraphs
_LINKED = 0.1  # share of link characters from which it is no part of the text


def with_boxes_of_text(blocks: PageBlocks, called: Sequence[frozenset[str]]) -> list[bool]:
    """Which elements are likely text. called: the words that speak against each, those around it included.

    A box is text that stands between two paragraphs of one part of the page, and one that holds prose by itself.
    """
    likely = [not words for words in called]
    for box in list(_boxes(blocks, called))[:_MOST]:
        inside = _inside(blocks, box)
        if _is_text(blocks, box, inside, likely):
            for element in inside:
                likely[element] = likely[element] or called[element] <= MILD
    return likely


def _boxes(blocks: PageBlocks, called: Sequence[frozenset[str]]) -> Iterator[int]:
    for number, element in enumerate(blocks.elements):
        if called[number] and called[number] <= MILD and not called[element.parent]:
            yield number


def _inside(blocks: PageBlocks, box: int) -> set[int]:
    inside = {box}
    for number in range(box + 1, len(blocks.elements)):
        if blocks.elements[number].parent not in inside:
            if blocks.elements[number].parent < box:
                break
            continue
        inside.add(number)
    return inside


def _is_text(blocks: PageBlocks, box: int, inside: set[int], likely: Sequence[bool]) -> bool:
    places = [place for place, line in enumerate(blocks.lines) if line.element in inside]
    lines = [blocks.lines[place] for place in places]
    length = sum(len(line.text) for line in lines)
    if not lines or sum(line.linked for line in lines) > _LINKED * length:
        return False
    if prose_of(lines):
        return True
    if sum(len(line.text) for line in lines if runs_on(line)) < _LEAST:
        return False
    beside = [
        place
        for place, line in enumerate(blocks.lines)
        if likely[line.element]
        and blocks.elements[line.element].parent == blocks.elements[box].parent
        and runs_on(line)
    ]
    return bool(beside) and beside[0] < places[0] and beside[-1] > places[-1]
