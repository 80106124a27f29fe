"""Parts of a page that its own words for them call something else than the text: class, id, tag, a style that hides."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from crawler.extract.page_lines import Element

# Parts that are not the work, by what their class or id calls them.
UNLIKELY = re.compile(
    r"comment|pinglun|disqus|repl(?:y|ies)[-_]?(?:list|item|box|area|content)|guestbook|liuyan|"
    r"sidebar|side-bar|sidenav|aside|footer|foot\b|navbar|\bnav\b|breadcrumb|crumb|toolbar|"
    r"recommend|related|relevant|tuijian|xiangguan|xgxw|xgyd|teaser|more-(?:news|articles|posts)|"
    r"hot-?(?:list|news|word)|slider|carousel|swiper|rank(?:ing|list)?\b|share|social|copyright|declare|"
    r"pagination|pager|\bpages?nav|advert|\bads?\b|\bad[-_]|[-_]ad\b|banner|popup|modal|login|subscri(?:be|ption)|newsletter|"
    r"skip-?link|cookie|consent|function-?bar|editor\b|disclaimer|legal-?notice|ambox|navbox|noprint|statement|nav-?(?:header|footer|box|links?)|"
    r"user-notification|article-?tags?\b|tag-?(?:list|cloud|box)|qr-?code|author-?(?:box|bio|info|card)|authi|\bpls\b|user-?(?:info|card|panel)|post-(?:nav|near|tags|copyright|cc)\b|navigation"
)
NOTHING: frozenset[str] = frozenset()
WHOLE = frozenset(("html", "body", "article", "main"))  # themes put all sorts of words into the classes of these
COMMENTS = re.compile(r"comment|pinglun|disqus|repl|guestbook|liuyan")
UNLIKELY_TAGS = frozenset(("nav", "footer", "aside", "header", "dialog", "noscript", "textarea", "text"))
MOST = 0.5  # share of the page's running text that no name takes away
LEFT = 80.0  # characters of running text; where comments leave less, they are the page's text


def called_otherwise(elements: Sequence[Element], running: Sequence[float]) -> list[frozenset[str]]:
    """For every element, the words that call it or anything around it something else than the text.

    `running` is what stands in each element itself. A word counts for nothing where it would take most of the page
    away: on the wrapper called `page-with-sidebar`. Comments may well be longer than the text that they are about, so
    they must leave next to nothing, as the posts of a forum do.
    """
    held = summed(elements, running)
    total = held[0]
    most = {True: max(MOST * total, total - LEFT), False: MOST * total}  # by whether a word calls comments
    above: list[frozenset[str]] = []  # the words that would take an element away
    taken: defaultdict[frozenset[str], float] = defaultdict(float)  # by them, how much running text they take away
    for element, amount, own in zip(elements, held, running, strict=True):
        words = above[element.parent] if above else NOTHING
        if not (element.label or element.hidden or element.tag in UNLIKELY_TAGS):
            pass
        elif names := _names(element.tag, element.label, element.hidden):
            words = (
                _joined(words, names)
                if amount < most[False]
                else words.union(word for word in names if amount < most[_calls_comments(word)])
            )
        above.append(words)
        if words and own:
            taken[words] += own
    doubted = _doubted(taken, most)
    return [NOTHING if words and words <= doubted else words for words in above] if doubted else above


def _doubted(taken: Mapping[frozenset[str], float], most: Mapping[bool, float]) -> set[str]:
    """The words that would take too much of the page away."""
    each: defaultdict[str, float] = defaultdict(float)
    for words, amount in taken.items():
        for word in words:
            each[word] += amount
    return {word for word, amount in each.items() if amount >= most[_calls_comments(word)]}


@lru_cache(maxsize=10_000)
def _joined(words: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    return words | names


@lru_cache(maxsize=10_000)
def _names(tag: str, label: str, hidden: bool) -> frozenset[str]:
    """What calls an element something else than the text: words of its class and id, its tag, a style."""
    if tag in WHOLE:
        return NOTHING
    words = set(UNLIKELY.findall(label))
    if tag in UNLIKELY_TAGS and "quote" not in label.split():  # which posts of Discourse put into an aside
        words.add(tag)
    if hidden:
        words.add("hidden")
    return frozenset(words)


@cache
def _calls_comments(word: str) -> bool:
    return COMMENTS.match(word) is not None


def summed(elements: Sequence[Element], own: Sequence[float]) -> list[float]:
    """What each element holds together with all below it."""
    sums = list(own)
    for index in range(len(sums) - 1, 0, -1):
        sums[elements[index].parent] += sums[index]
    return sums
