"""Which lines of a page are its text: the part of the tree with the most running text and the least of all else."""

import re
from collections import defaultdict
from collections.abc import Sequence

from crawler.blocks import Blocks, Element, Line

# Parts that are not the work, by what their class or id calls them.
UNLIKELY = re.compile(
    r"comment|pinglun|disqus|sidebar|side-bar|sidenav|aside|footer|foot\b|navbar|\bnav\b|breadcrumb|crumb|toolbar|"
    r"recommend|related|relevant|tuijian|hot-?(?:list|news|word)|rank(?:ing|list)?\b|share|social|copyright|declare|"
    r"pagination|pager|\bpages?nav|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|popup|modal|login|subscribe|newsletter|"
    r"qrcode|skip-?link|cookie|function-?bar|editor\b|disclaimer"
)
WHOLE = frozenset(("html", "body", "article", "main"))  # themes put all sorts of words into the classes of these
COMMENTS = ("comment", "pinglun", "disqus")
UNLIKELY_TAGS = frozenset(("nav", "footer", "aside", "header", "dialog"))
STOPS = re.compile(r"[。！？；，、：…”,.!?;:]")
LINKED = 0.5  # share of link characters from which a line is navigation
PENALTY = 1.0  # what one character of navigation takes from a part of the tree
MOST = 0.5  # share of the page's running text that no name takes away
LEFT = 150.0  # characters of running text; where comments leave less, they are the page's text
SHORT = 25  # characters; shorter lines count as running text only with punctuation


def main_text(blocks: Blocks) -> list[str]:
    """The lines that are the page's text, in order; empty when there is none."""
    if not blocks.elements:
        return []
    worth = [0.0] * len(blocks.elements)
    for line in blocks.lines:
        worth[line.element] += _worth(line)
    kept = _likely(blocks.elements, [max(0.0, value) for value in worth])
    worth = _summed(blocks.elements, [value if keep else 0.0 for value, keep in zip(worth, kept, strict=True)])
    top = max(range(len(worth)), key=lambda index: worth[index])
    if worth[top] <= 0:
        return []
    inside = _inside(blocks.elements, top)
    lines = [line for line in blocks.lines if inside[line.element] and kept[line.element]]
    while lines and _navigation(lines[-1]):
        lines.pop()  # to the next page, the contents, other articles
    return [line.text for line in lines]


def _summed(elements: Sequence[Element], own: Sequence[float]) -> list[float]:
    """What each element holds together with all below it."""
    sums = list(own)
    for index in range(len(sums) - 1, 0, -1):
        sums[elements[index].parent] += sums[index]
    return sums


def _likely(elements: Sequence[Element], running: Sequence[float]) -> list[bool]:
    """For every element, whether neither it nor anything around it is named as something else than the text.

    `running` is what stands in each element itself. A word counts for nothing where it would take most of the page
    away: on the wrapper called `page-with-sidebar`. Comments may well be longer than the text that they are about, so
    they must leave next to nothing, as the posts of a forum do.
    """
    held = _summed(elements, running)
    total = held[0]
    most = dict.fromkeys(COMMENTS, max(MOST * total, total - LEFT))
    names: dict[tuple[str, str], frozenset[str]] = {}
    above: list[frozenset[str]] = []  # the words that would take an element away
    taken: defaultdict[str, float] = defaultdict(float)  # by word, how much running text it would take away
    for index, element in enumerate(elements):
        key = (element.tag, element.label)
        if key not in names:
            names[key] = _names(element)
        named = frozenset(word for word in names[key] if held[index] < most.get(word, MOST * total))
        above.append(above[element.parent] | named if index else named)
        for word in above[-1]:
            taken[word] += running[index]
    believed = {word for word, amount in taken.items() if amount < most.get(word, MOST * total)}
    return [believed.isdisjoint(words) for words in above]


def _names(element: Element) -> frozenset[str]:
    """What calls an element something else than the text: words of its class and id, or its tag."""
    if element.tag in WHOLE:
        return frozenset()
    words = frozenset(UNLIKELY.findall(element.label))
    return words | {element.tag} if element.tag in UNLIKELY_TAGS else words


def _inside(elements: Sequence[Element], top: int) -> list[bool]:
    inside: list[bool] = []
    for index, element in enumerate(elements):
        inside.append(index == top or (index > top and inside[element.parent]))
    return inside


def _navigation(line: Line) -> bool:
    return line.linked > LINKED * len(line.text)


def _worth(line: Line) -> float:
    if _navigation(line):
        return -PENALTY * len(line.text)
    plain = len(line.text) - line.linked
    stops = len(STOPS.findall(line.text))
    return plain if plain >= SHORT or stops else -0.2 * plain
