"""What a page's own style sheets and style attributes hide from its readers."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

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
BRACE = re.compile(r"([{}])")
LONGEST = 200_000  # characters of one style element that are looked through
IN_ALL = 1_000_000  # of all: they may stand in each other, and then each holds those within
MOST = 100  # selectors, each of which is looked for in the whole page


class HiddenNodes(NamedTuple):
    """The elements that a style sheet inside the page hides, by `LexborNode.mem_id`."""

    hidden: frozenset[int]
    unseen: frozenset[int]  # if they stand between words


def hidden_nodes(tree: LexborHTMLParser) -> HiddenNodes:
    """What the page's style sheets hide.

    >>> tree = LexborHTMLParser("<style>p i:nth-child(2) { display: none }</style><p><i>1</i><i>2</i></p>")
    >>> [node.mem_id in hidden_nodes(tree).hidden for node in tree.css("i")]
    [False, True]
    """
    hidden: set[int] = set()
    unseen: set[int] = set()
    left, room = MOST, IN_ALL
    for node in tree.css("style"):
        if room <= 0:
            break
        sheet = (node.text(deep=True) or "")[:LONGEST]
        room -= len(sheet)
        for selectors, rules in _rules(COMMENT.sub("", sheet)):
            into = hidden if HIDDEN.search(rules) else unseen if UNSEEN.search(rules) else None
            if into is None:
                continue
            for selector in selectors.split(",")[:left]:
                left -= 1
                into.update(_selected(tree, selector.strip()))
    return HiddenNodes(frozenset(hidden), frozenset(unseen))


def _selected(tree: LexborHTMLParser, selector: str) -> Iterator[int]:
    if "::" in selector or "*" in selector:  # letters that are drawn and stand nowhere; all there is
        return
    try:
        found = tree.css(selector)
    except SelectolaxError:
        return
    for node in found:
        yield node.mem_id


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
