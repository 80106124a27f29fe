"""Which lines of a page are its text: the part of the tree with the most running text and the least of all else."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from crawler.extract.blocks import Element, PageBlocks, TextLine
from crawler.extract.boxes import with_boxes_of_text
from crawler.extract.furniture import is_buttons, is_byline, is_legal
from crawler.extract.further_reading import without_further_reading
from crawler.extract.language import HAN
from crawler.extract.prose import SHORT, is_navigation, runs_on

# Parts that are not the work, by what their class or id calls them.
UNLIKELY = re.compile(
    r"comment|pinglun|disqus|repl(?:y|ies)[-_]?(?:list|item|box|area|content)|guestbook|liuyan|"
    r"sidebar|side-bar|sidenav|aside|footer|foot\b|navbar|\bnav\b|breadcrumb|crumb|toolbar|"
    r"recommend|related|relevant|tuijian|xiangguan|xgxw|xgyd|teaser|more-(?:news|articles|posts)|"
    r"hot-?(?:list|news|word)|slider|carousel|swiper|rank(?:ing|list)?\b|share|social|copyright|declare|"
    r"pagination|pager|\bpages?nav|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|popup|modal|login|subscribe|newsletter|"
    r"qr-?code|skip-?link|cookie|consent|function-?bar|editor\b|disclaimer"
)
NOTHING: frozenset[str] = frozenset()
WHOLE = frozenset(("html", "body", "article", "main"))  # themes put all sorts of words into the classes of these
COMMENTS = re.compile(r"comment|pinglun|disqus|repl|guestbook|liuyan")
UNLIKELY_TAGS = frozenset(("nav", "footer", "aside", "header", "dialog", "noscript", "textarea", "text"))
STOPS = re.compile(r"[。！？；，、：…”,.!?;:]")
CRUMBS = re.compile(r"[>›»|｜]|::")
ADDRESS = re.compile(r"(?<!\w)\w+://\S*")  # begun once for each word, or a long one takes time with its square
PENALTY = 1.0  # what one character of navigation takes from a part of the tree
MOST = 0.5  # share of the page's running text that no name takes away
LEFT = 150.0  # characters of running text; where comments leave less, they are the page's text
TERSE = 20  # Han characters that a page without running text must have in one place, as a poem has
HEAD = 12  # lines before the first of running text among which bylines are looked for


def main_text(blocks: PageBlocks) -> list[str]:
    """The lines that are the page's text, in order; empty when there is none."""
    if not blocks.elements:
        return []
    worth = [_worth(line) for line in blocks.lines]
    return _best_part(blocks, worth) or _terse_part(blocks, worth)


def _best_part(blocks: PageBlocks, by_line: Sequence[float]) -> list[str]:
    worth = [0.0] * len(blocks.elements)
    for line, value in zip(blocks.lines, by_line, strict=True):
        worth[line.element] += value
    called = _called(blocks.elements, [max(0.0, value) for value in worth])
    kept = with_boxes_of_text(blocks, called)
    worth = _summed(blocks.elements, [value if keep else 0.0 for value, keep in zip(worth, kept, strict=True)])
    top = worth.index(max(worth))
    if worth[top] <= 0:
        return []
    inside = _inside(blocks.elements, top)
    lines = [line for line in blocks.lines if inside[line.element] and kept[line.element]]
    return _trimmed(without_further_reading(lines, blocks.elements))


def _terse_part(blocks: PageBlocks, by_line: Sequence[float]) -> list[str]:
    """Where nothing runs on: short lines that are neither links nor furniture, as those of a poem or a notice."""
    terse = [
        len(line.text) - line.linked if value > -PENALTY * len(line.text) else value
        for line, value in zip(blocks.lines, by_line, strict=True)
    ]
    lines = _best_part(blocks, terse)
    return lines if sum(len(HAN.findall(line)) for line in lines) >= TERSE else []


def _trimmed(lines: list[TextLine]) -> list[str]:
    """The lines without buttons, and without the links, dates, bylines and rights before and after the text."""
    lines = [line for line in lines if not is_buttons(line.text)]
    begin = next((i for i, line in enumerate(lines[:HEAD]) if runs_on(line)), 0)
    before = [line for line in lines[:begin] if not _heads(line)]
    end = len(lines)
    while end > begin and is_navigation(lines[end - 1]):
        end -= 1  # to the next page, the contents, other articles
    while end > begin and (is_byline(lines[end - 1].text) or is_legal(lines[end - 1].text)):
        end -= 1
    return [line.text for line in (*before, *lines[begin:end])]


def _heads(line: TextLine) -> bool:
    """Whether a line before the text is a date, a byline, or the way from the front page."""
    crumbs = is_navigation(line) and CRUMBS.search(line.text) is not None
    return crumbs or is_byline(line.text) or is_legal(line.text)


def _summed(elements: Sequence[Element], own: Sequence[float]) -> list[float]:
    """What each element holds together with all below it."""
    sums = list(own)
    for index in range(len(sums) - 1, 0, -1):
        sums[elements[index].parent] += sums[index]
    return sums


def _called(elements: Sequence[Element], running: Sequence[float]) -> list[frozenset[str]]:
    """For every element, the words that call it or anything around it something else than the text.

    `running` is what stands in each element itself. A word counts for nothing where it would take most of the page
    away: on the wrapper called `page-with-sidebar`. Comments may well be longer than the text that they are about, so
    they must leave next to nothing, as the posts of a forum do.
    """
    held = _summed(elements, running)
    total = held[0]
    most = {True: max(MOST * total, total - LEFT), False: MOST * total}  # by whether a word calls comments
    above: list[frozenset[str]] = []  # the words that would take an element away
    taken: defaultdict[str, float] = defaultdict(float)  # by word, how much running text it would take away
    for index, element in enumerate(elements):
        words = above[element.parent] if index else NOTHING
        if names := _names(element.tag, element.label, element.hidden):
            words = words.union(word for word in names if held[index] < most[_calls_comments(word)])
        above.append(words)
        if words and running[index]:
            for word in words:
                taken[word] += running[index]
    doubted = {word for word, amount in taken.items() if amount >= most[_calls_comments(word)]}
    return [NOTHING if words <= doubted else words for words in above]


@lru_cache(maxsize=10_000)
def _names(tag: str, label: str, hidden: bool) -> frozenset[str]:
    """What calls an element something else than the text: words of its class and id, its tag, a style."""
    if tag in WHOLE:
        return NOTHING
    words = set(UNLIKELY.findall(label))
    if tag in UNLIKELY_TAGS:
        words.add(tag)
    if hidden:
        words.add("hidden")
    return frozenset(words)


@cache
def _calls_comments(word: str) -> bool:
    return COMMENTS.match(word) is not None


def _inside(elements: Sequence[Element], top: int) -> list[bool]:
    inside: list[bool] = []
    for index, element in enumerate(elements):
        inside.append(index == top or (index > top and inside[element.parent]))
    return inside


def _worth(line: TextLine) -> float:
    if is_buttons(line.text):
        return 0.0  # a post of a forum may have more of them than words
    if is_navigation(line) or is_legal(line.text):
        return -PENALTY * len(line.text)
    text = ADDRESS.sub("", line.text) if "://" in line.text else line.text
    plain = max(0, len(text) - line.linked)
    return plain if plain >= SHORT or STOPS.search(text) else -0.2 * plain
