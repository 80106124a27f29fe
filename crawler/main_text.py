"""Which lines of a page are its text: the part of the tree with the most running text and the least of all else."""

import re
from collections.abc import Sequence

from crawler.blocks import Blocks, Element, Line

# Parts that are not the work, by what their class or id calls them.
UNLIKELY = re.compile(
    r"comment|pinglun|disqus|sidebar|side-bar|sidenav|aside|footer|foot\b|navbar|\bnav\b|breadcrumb|crumb|toolbar|"
    r"recommend|related|relevant|tuijian|hot-?(?:list|news|word)|rank(?:ing|list)?\b|share|social|copyright|declare|"
    r"pagination|pager|\bpages?nav|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|popup|modal|login|subscribe|newsletter|"
    r"qrcode|skip-?link|cookie|related|function-?bar|editor\b|disclaimer"
)
LIKELY = re.compile(r"article|content|post|entry|body|text|main|chapter|detail|zhengwen|read")
WHOLE = frozenset(("html", "body", "article", "main"))  # themes put all sorts of words into the classes of these
UNLIKELY_TAGS = frozenset(("nav", "footer", "aside", "header", "dialog"))
STOPS = re.compile(r"[。！？；，、：…”,.!?;:]")
LINKED = 0.5  # share of link characters from which a line is navigation
PENALTY = 1.0  # what one character of navigation takes from a part of the tree
SHORT = 25  # characters; shorter lines count as running text only with punctuation


def main_text(blocks: Blocks) -> list[str]:
    """The lines that are the page's text, in order; empty when there is none."""
    kept = _likely(blocks)
    worth = [0.0] * len(blocks.elements)
    for line in blocks.lines:
        if kept[line.element]:
            worth[line.element] += _worth(line)
    for index in range(len(worth) - 1, 0, -1):
        parent = blocks.elements[index].parent
        worth[parent] += worth[index]
    if not worth or max(worth) <= 0:
        return []
    top = max(range(len(worth)), key=lambda index: worth[index])
    inside = _inside(blocks.elements, top)
    return [line.text for line in blocks.lines if inside[line.element] and kept[line.element] and not _navigation(line)]


def _likely(blocks: Blocks) -> list[bool]:
    """For every element, whether neither it nor anything around it is called something that is not the text."""
    kept: list[bool] = []
    for index, element in enumerate(blocks.elements):
        odd = element.tag in UNLIKELY_TAGS or (element.tag not in WHOLE and UNLIKELY.search(element.label))
        kept.append(not odd and (index == 0 or kept[element.parent]))
    return kept


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
