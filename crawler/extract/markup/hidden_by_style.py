"""What a page's style sheets and style attributes hide from its readers."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from crawler.extract.markup.css_selectors import is_selector

# Not shown; a script may show it later. What it may begin with is said first: whole style sheets are looked through.
HIDDEN = re.compile(
    r"(?=[dvlrtc])(?:display\s*:\s*none|visibility\s*:\s*hidden|"
    r"(?:left|right|top|text-indent)\s*:\s*-\d{3,}(?:px|em|rem|pt)|"
    r"clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%)",
    re.IGNORECASE,
)
# Words between others that take no room or have no colour. On a block it means nothing: what stands in it may be
# larger, or fade in.
UNSEEN = re.compile(
    r"(?=[fwhoct])(?:(?:font-size|(?<![\w-])(?:width|height|opacity))\s*:\s*0(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:[;!}]|$)|"
    r"(?<![\w-])color\s*:\s*transparent|transform\s*:\s*scale\(\s*0\s*\))",
    re.IGNORECASE,
)
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
SIMPLE = re.compile(r"[\w\s.#>+~:-]+")  # a selector that ends where it seems to
BRACE = re.compile(r"([{}])")
LONGEST = 200_000  # characters of one style element that are looked through
IN_ALL = 1_000_000  # of all: they may stand in each other, and then each holds those within
MOST = 100  # selectors, each of which is looked for in the whole page
MOST_LINKED = 500  # of a sheet that the page links to, all looked for at once
KEPT = 16  # style sheets whose selectors are: those of a site are on all its pages


class HiddenNodes(NamedTuple):
    """The elements that a style sheet hides, by `LexborNode.mem_id`."""

    hidden: frozenset[int]
    unseen: frozenset[int]  # if they stand between words


def hidden_nodes(tree: LexborHTMLParser, linked: Sequence[str] = (), *, own: bool = True) -> HiddenNodes:
    """What the page's style sheets hide, those inside it and those that it links to. own: whether it may have any
    inside it.

    >>> tree = LexborHTMLParser("<style>p i:nth-child(2) { display: none }</style><p><i>1</i><i>2</i></p>")
    >>> [node.mem_id in hidden_nodes(tree).hidden for node in tree.css("i")]
    [False, True]
    """
    selectors: dict[bool, list[str]] = {True: [], False: []}
    left, room = MOST, IN_ALL
    for node in tree.css("style") if own else ():
        if room <= 0:
            break
        sheet = (node.text(deep=True) or "")[:LONGEST]
        room -= len(sheet)
        for hides, selector in _selectors(sheet)[:left]:
            left -= 1
            selectors[hides].append(selector)
    unseen = [*selectors[False], *_of_links(linked)]
    return HiddenNodes(_selected(tree, selectors[True]), _selected(tree, unseen))


def _of_links(sheets: Sequence[str]) -> Iterator[str]:
    """What sheets that serve a whole site hide: believed of words between others alone, for scripts show the rest."""
    for sheet in sheets:
        yield from (one for _, one in _selectors(sheet[:LONGEST], MOST_LINKED) if SIMPLE.fullmatch(one))


@lru_cache(KEPT)
def _selectors(sheet: str, most: int = MOST) -> tuple[tuple[bool, str], ...]:
    """The selectors of what a style sheet hides, each with whether altogether or between words only."""
    found: list[tuple[bool, str]] = []
    for selectors, rules in _rules(COMMENT.sub("", sheet)):
        hides = HIDDEN.search(rules) is not None
        if hides or UNSEEN.search(rules):
            found += [(hides, one.strip()) for one in selectors.split(",")[: most - len(found)]]
    return tuple(found)


def _selected(tree: LexborHTMLParser, selectors: Sequence[str]) -> frozenset[int]:
    """What the selectors choose; the simple ones by one walk through the page."""
    # Not letters that are drawn and stand nowhere, and not all there is. One that is not understood would spoil all.
    selectors = [one for one in selectors if "::" not in one and "*" not in one and is_selector(one)]
    simple = dict.fromkeys(one for one in selectors if SIMPLE.fullmatch(one))
    try:
        found = {node.mem_id for node in tree.css(", ".join(simple))} if simple else set[int]()
    except SelectolaxError:
        found, simple = set(), {}
    for one in selectors:
        if one not in simple:
            with suppress(SelectolaxError):
                found.update(node.mem_id for node in tree.css(one))
    return frozenset(found)


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of the rules that hold everywhere: those for print or narrow screens stand deeper."""
    depth = 0
    before = ""
    for piece in BRACE.split(sheet):
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth = max(0, depth - 1)
        elif depth == 1 and not before.lstrip().startswith("@"):
            yield before, piece
        elif depth == 0:
            before = piece
