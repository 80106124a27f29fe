"""Read from style sheets which selectors hide elements or colour them. Validate CSS selectors."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from crawler.extraction.appearance import DECLARATION, Appearance, Color, parse_declarations, read_declarations


@lru_cache(16_384)  # the selectors of a site's style sheets recur on all its pages
def is_css_selector(written: str) -> bool:
    """Tell whether a string is a CSS selector, or several separated by commas.

    >>> is_css_selector("p > i"), is_css_selector("p:before")
    (True, False)
    """
    try:
        LexborHTMLParser("<p>").css(written)
    except SelectolaxError:
        return False
    return True


CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
SIMPLE_SELECTOR = re.compile(r"[\w\s.#>+~:-]+")  # a selector without strings or brackets, so that a comma ends it
CSS_BRACE = re.compile(r"([{}])")
# Rules inside of these apply to every reader. Those for print or narrow screens do not.
_TRANSPARENT_AT_RULE = re.compile(r"@(?:media\s+(?:only\s+)?(?:all|screen)|supports\b.*|layer\b.*)\s*", re.IGNORECASE)
_PAGE_SELECTORS = frozenset(("html", "body", ":root", "html body"))
MAX_STYLE_CHARACTERS = 200_000  # characters of one style element that are examined
MAX_ALL_STYLE_CHARACTERS = 1_000_000  # of all: nested ones each include those within
MAX_HIDING_SELECTORS = 100  # selectors, each of which is searched in the whole page
MAX_LINKED_SELECTORS = 500  # of a linked sheet, all searched at once
MAX_COLORS = 32  # different colours of selectors, each of which is searched in the whole page
STYLE_CACHE_SIZE = 64  # style sheets whose selectors are cached: a site uses them on all its pages


class SheetRules(NamedTuple):
    """Hold the visibility rules of a style sheet by selector. The last rule of each selector counts."""

    appearances: tuple[tuple[str, Appearance], ...]
    page: Appearance  # of the whole page: its ink and its background


@lru_cache(STYLE_CACHE_SIZE)
def read_sheet(sheet: str, most: int = MAX_HIDING_SELECTORS) -> SheetRules:
    """Return the rules that may hide or colour something. most: limit of the hiding selectors.

    >>> read_sheet(".a { color: #fff } .b { display: none }").appearances[1][0]
    '.b'
    """
    declared: dict[str, dict[str, str]] = {}
    variables: dict[str, str] = {}
    for selectors, rules in _parse_rules(CSS_COMMENT.sub("", sheet[:MAX_STYLE_CHARACTERS])):
        if DECLARATION.search(rules) is None:
            continue
        declarations = parse_declarations(rules)
        for name, value in declarations.items():
            if name.startswith("--"):
                variables.setdefault(name, value)
        for selector in selectors.split(","):
            declared.setdefault(selector.strip(), {}).update(declarations)
    page: dict[str, str] = {}
    appearances: list[tuple[str, Appearance]] = []
    hiding = 0
    for selector, declarations in declared.items():
        if selector.lower() in _PAGE_SELECTORS:
            page.update(declarations)
            continue
        appearance = read_declarations(declarations, variables)
        hides = appearance.hides_box or appearance.hides_words or appearance.hides_letters
        hiding += hides
        if (hides and hiding <= most) or appearance.ink or appearance.ground or appearance.behind:
            appearances.append(
                (selector, appearance if hiding <= most else Appearance(ink=appearance.ink, ground=appearance.ground))
            )
    return SheetRules(tuple(appearances), read_declarations(page, variables))


class StyledNodes(NamedTuple):
    """Hold the elements of a page that style sheets hide or colour, by `LexborNode.mem_id`."""

    hidden: frozenset[int]
    unseen: frozenset[int]  # if they are between words
    letterless: frozenset[int]  # the same, but elements inside may be visible
    inks: dict[int, Color]
    grounds: dict[int, Color]


def select_nodes(tree: LexborHTMLParser, selectors: Sequence[str]) -> frozenset[int]:
    """Return the nodes that match the selectors. Simple selectors share one walk through the page."""
    # Pseudo-elements are not in the tree, and universal selectors match everything. One invalid selector would fail the
    # whole query.
    selectors = [
        selector for selector in selectors if "::" not in selector and "*" not in selector and is_css_selector(selector)
    ]
    simple = dict.fromkeys(selector for selector in selectors if SIMPLE_SELECTOR.fullmatch(selector))
    try:
        selected = {node.mem_id for node in tree.css(", ".join(simple))} if simple else set[int]()
    except SelectolaxError:
        selected, simple = set(), {}
    for selector in selectors:
        if selector not in simple:
            with suppress(SelectolaxError):
                selected.update(node.mem_id for node in tree.css(selector))
    return frozenset(selected)


def read_own_sheets(tree: LexborHTMLParser) -> Iterator[SheetRules]:
    """Yield the rules of each style element of the page."""
    room = MAX_ALL_STYLE_CHARACTERS
    for node in tree.css("style"):
        if room <= 0:
            break
        sheet = (node.text(deep=True) or "")[:MAX_STYLE_CHARACTERS]
        room -= len(sheet)
        yield read_sheet(sheet)


def _parse_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and declarations of the rules that apply to every reader. Those for print or narrow screens are
    nested deeper.
    """
    depth = base = 0  # base: the number of open at-rules that apply to every reader
    before = ""
    for piece in CSS_BRACE.split(sheet):
        if piece == "{":
            if depth == base and _TRANSPARENT_AT_RULE.fullmatch(before.strip()):
                base += 1
            depth += 1
        elif piece == "}":
            depth = max(0, depth - 1)
            base = min(base, depth)
        elif depth == base + 1 and not before.lstrip().startswith("@"):
            yield before, piece
        elif depth == base:
            before = piece.rpartition(";")[2]  # behind @charset and @import
