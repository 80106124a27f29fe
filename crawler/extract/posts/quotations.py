"""The lines of a post, and which of them are somebody else's words."""

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extract.page_lines import Element, blocks_of
from crawler.extract.posts.post import PostLine

_QUOTES = "blockquote, [class*=quot]"
_QUOTE = re.compile(r"quot")  # of a class or id
_NAMES = ("data-username", "data-author", "data-quote")
_LONGEST = 200  # characters of a line in which it is told
_NAME = r"[^:：,，。]{1,40}?"
_SAYS = re.compile(
    rf"^\s*(?:原帖由|最初由|引用|回复|originally posted by|quote from:?)?\s*(?:\d+\s*[楼#]\s*)?@?(?P<name>{_NAME})\s*"
    r"(?:发表于|发表在|于\s*20|的(?:帖子|发言|回复)|(?:写道|说道?|wrote|said)\s*[:：]|发表$|[:：]\s*$)",
    re.IGNORECASE,
)
_BY = re.compile(rf"(?:原帖由|最初由|originally posted by|quote from:?)\s+@?(?P<name>{_NAME})(?:\s|$)", re.IGNORECASE)


def lines_of(body: LexborNode) -> tuple[tuple[PostLine, ...], tuple[str | None, ...]]:
    """The lines of a post's body, and by quotation who is named as having said it."""
    tree = LexborHTMLParser((body.html or "").partition(">")[2])  # the body itself may be a blockquote
    blocks = blocks_of(tree)
    around = _quotations(blocks.elements)
    numbers: dict[int, int] = {}  # of quotations, by their elements
    lines: list[PostLine] = []
    for line in blocks.lines:
        quote = around[line.element]
        lines.append(PostLine(line.text, None if quote is None else numbers.setdefault(quote, len(numbers))))
    return tuple(lines), _named(tree, lines, len(numbers))


def _quotations(elements: Sequence[Element]) -> list[int | None]:
    """For every element the outermost quotation that it stands in."""
    around: list[int | None] = []
    for number, element in enumerate(elements):
        outer = around[element.parent] if number else None
        quotes = element.tag == "blockquote" or _QUOTE.search(element.label) is not None
        around.append(number if outer is None and quotes else outer)
    return around


def _named(tree: LexborHTMLParser, lines: Sequence[PostLine], count: int) -> tuple[str | None, ...]:
    if not count:
        return ()
    nodes = [node for node in tree.css(_QUOTES) if not _stands_in_one(node) and (node.text() or "").strip()]
    marked = [next(filter(None, map(node.attributes.get, _NAMES)), None) for node in nodes]
    first = {line.quotation: line.text for line in reversed(lines)}
    return tuple(
        (marked[number] if len(marked) == count else None) or _said_by(first[number]) for number in range(count)
    )


def _said_by(line: str) -> str | None:
    found = _SAYS.search(line[:_LONGEST]) or _BY.search(line[:_LONGEST])
    return found["name"] if found else None


def _stands_in_one(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag == "blockquote" or "quot" in (above.attributes.get("class") or "").lower():
            return True
        above = above.parent
    return False
