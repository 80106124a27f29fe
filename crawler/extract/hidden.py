"""What a page's own style sheets and style attributes hide from its readers."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser

HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
NO_SIZE = re.compile(r"font-size\s*:\s*0(?:px|em|rem|pt|%)?\s*(?:;|!|$)", re.IGNORECASE)  # of words between others
COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
BRACE = re.compile(r"([{}])")
SIMPLE = re.compile(r"[a-z0-9]*([.#][\w-]+)$", re.IGNORECASE)  # one class or id, without anything around it
LONGEST = 200_000  # characters of style that are looked through


def hidden_names(tree: LexborHTMLParser) -> frozenset[str]:
    """The classes, as `.name`, and ids, as `#name`, that a style sheet inside the page hides.

    >>> sorted(hidden_names(LexborHTMLParser("<style>i.x, #y > b, #z { display: none } .w { color: red }</style>")))
    ['#z', '.x']
    """
    names: set[str] = set()
    for node in tree.css("style"):
        sheet = (node.text(deep=True) or "")[:LONGEST]
        if HIDDEN.search(sheet) is None:
            continue
        for selectors, rules in _rules(COMMENT.sub("", sheet)):
            if HIDDEN.search(rules):
                names.update(found[1] for one in selectors.split(",") if (found := SIMPLE.match(one.strip())))
    return frozenset(names)


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
