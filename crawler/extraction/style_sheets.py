"""Find the elements that style sheets hide. Validate CSS selectors."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError


@lru_cache(1_024)  # those of a site's style sheets are asked for on all its pages
def is_css_selector(written: str) -> bool:
    """Whether this is a CSS selector, or several with commas between them.

    >>> is_css_selector("p > i"), is_css_selector("p:before")
    (True, False)
    """
    try:
        LexborHTMLParser("<p>").css(written)
    except SelectolaxError:
        return False
    return True


# Not shown; a script may show it later. What it may begin with is said first: whole style sheets are looked through.
HIDING_STYLE = re.compile(
    r"(?=[dvlrtc])(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"(?:left|right|top|text-indent)\s*:\s*-\d{3,}(?:px|em|rem|pt)|"
    r"clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%)",
    re.IGNORECASE,
)
# Words between others that take no room or have no colour. On a block it means nothing: what stands in it may be
# larger, or fade in.
INVISIBLE_STYLE = re.compile(
    r"(?=[fwhoct])(?:(?:font-size|(?<![\w-])(?:width|height|opacity))\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:[;!}]|$)|"
    r"(?<![\w-])color\s*:\s*transparent|transform\s*:\s*scale\(\s*0\s*\))",
    re.IGNORECASE,
)
CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
SIMPLE_SELECTOR = re.compile(r"[\w\s.#>+~:-]+")  # a selector that ends where it seems to
CSS_BRACE = re.compile(r"([{}])")
MAX_STYLE_CHARACTERS = 200_000  # characters of one style element that are looked through
MAX_ALL_STYLE_CHARACTERS = 1_000_000  # of all: they may stand in each other, and then each holds those within
MAX_HIDING_SELECTORS = 100  # selectors, each of which is looked for in the whole page
MAX_LINKED_SELECTORS = 500  # of a sheet that the page links to, all looked for at once
STYLE_CACHE_SIZE = 16  # style sheets whose selectors are: those of a site are on all its pages


class HiddenNodes(NamedTuple):
    """The elements that a style sheet hides, by `LexborNode.mem_id`."""

    hidden: frozenset[int]
    unseen: frozenset[int]  # if they stand between words


def find_hidden_nodes(tree: LexborHTMLParser, linked: Sequence[str] = (), *, own: bool = True) -> HiddenNodes:
    """What the page's style sheets hide, those inside it and those that it links to. own: whether it may have any
    inside it.

    >>> tree = LexborHTMLParser("<style>p i:nth-child(2) { display: none }</style><p><i>1</i><i>2</i></p>")
    >>> [node.mem_id in find_hidden_nodes(tree).hidden for node in tree.css("i")]
    [False, True]
    """
    selectors: dict[bool, list[str]] = {True: [], False: []}
    left, room = MAX_HIDING_SELECTORS, MAX_ALL_STYLE_CHARACTERS
    for node in tree.css("style") if own else ():
        if room <= 0:
            break
        sheet = (node.text(deep=True) or "")[:MAX_STYLE_CHARACTERS]
        room -= len(sheet)
        for hides, selector in _hiding_selectors(sheet)[:left]:
            left -= 1
            selectors[hides].append(selector)
    unseen = [*selectors[False], *_linked_hiding_selectors(linked)]
    return HiddenNodes(_select_nodes(tree, selectors[True]), _select_nodes(tree, unseen))


def _linked_hiding_selectors(sheets: Sequence[str]) -> Iterator[str]:
    """What sheets that serve a whole site hide: believed of words between others alone, for scripts show the rest."""
    for sheet in sheets:
        yield from (
            one
            for _, one in _hiding_selectors(sheet[:MAX_STYLE_CHARACTERS], MAX_LINKED_SELECTORS)
            if SIMPLE_SELECTOR.fullmatch(one)
        )


@lru_cache(STYLE_CACHE_SIZE)
def _hiding_selectors(sheet: str, most: int = MAX_HIDING_SELECTORS) -> tuple[tuple[bool, str], ...]:
    """The selectors of what a style sheet hides, each with whether altogether or between words only."""
    found: list[tuple[bool, str]] = []
    for selectors, rules in _parse_rules(CSS_COMMENT.sub("", sheet)):
        hides = HIDING_STYLE.search(rules) is not None
        if hides or INVISIBLE_STYLE.search(rules):
            found += [(hides, one.strip()) for one in selectors.split(",")[: most - len(found)]]
    return tuple(found)


def _select_nodes(tree: LexborHTMLParser, selectors: Sequence[str]) -> frozenset[int]:
    """What the selectors choose; the simple ones by one walk through the page."""
    # Not letters that are drawn and stand nowhere, and not all there is. One that is not understood would spoil all.
    selectors = [
        selector for selector in selectors if "::" not in selector and "*" not in selector and is_css_selector(selector)
    ]
    simple = dict.fromkeys(selector for selector in selectors if SIMPLE_SELECTOR.fullmatch(selector))
    try:
        found = {node.mem_id for node in tree.css(", ".join(simple))} if simple else set[int]()
    except SelectolaxError:
        found, simple = set(), {}
    for selector in selectors:
        if selector not in simple:
            with suppress(SelectolaxError):
                found.update(node.mem_id for node in tree.css(selector))
    return frozenset(found)


def _parse_rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules that hold everywhere: those for print or narrow screens stand deeper."""
    depth = 0
    before = ""
    for piece in CSS_BRACE.split(sheet):
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth = max(0, depth - 1)
        elif depth == 1 and not before.lstrip().startswith("@"):
            yield before, piece
        elif depth == 0:
            before = piece
