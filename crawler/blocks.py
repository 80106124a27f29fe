"""A page as lines of text in document order, each knowing where in the tree it stands."""

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

# Their content is never read on the page.
# One word a line would hide them.
# fmt: off
DROPPED = frozenset((
    "script", "style", "noscript", "template", "iframe", "frame", "object", "embed", "applet", "svg", "math", "canvas",
    "audio", "video", "map", "select", "option", "datalist", "textarea", "button", "input", "head",
))
BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
))
# fmt: on
SPACE = re.compile(r"[ \t\r\n\f\u00a0\u3000]+")
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
MOST_NODES = 400_000  # of a page; what comes after is left out, and that is noted


@dataclass(slots=True)
class Element:
    """One element that starts a line of its own, with its place among the others."""

    parent: int  # index into Blocks.elements; the root is its own parent
    tag: str
    label: str  # class, id and role, in lower case


@dataclass(slots=True)
class Line:
    """A run of text without a break in it."""

    element: int  # the block that it stands in
    text: str = ""
    linked: int = 0  # characters inside links


@dataclass(slots=True)
class Blocks:
    """The lines of a page and the elements around them; an element comes after its parent."""

    elements: list[Element] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    cut: bool = False


def read(tree: LexborHTMLParser) -> Blocks:
    """Put the visible text of a page into lines."""
    reader = _Reader()
    root = tree.body or tree.root
    if root is not None:
        reader.walk(root)
    return reader.blocks


class _Reader:
    def __init__(self) -> None:
        self.blocks = Blocks()
        self._pieces: list[str] = []
        self._linked = 0
        self._links = 0  # open <a> elements
        self._preformatted = 0

    def walk(self, root: LexborNode) -> None:
        """Visit the tree without recursion: pages nest deeper than Python's stack."""
        stack: list[tuple[LexborNode | None, int, bool]] = [(root, 0, True)]
        visited = 0
        while stack:
            node, element, entering = stack.pop()
            if node is None:
                continue
            if not entering:
                self._leave(node, element)
                continue
            visited += 1
            if visited > MOST_NODES:
                self.blocks.cut = True
                break
            if node is not root:
                stack.append((node.next, element, True))
            inside = self._enter(node, element)
            if inside is not None:
                stack.append((node, inside, False))
                stack.append((node.first_child, inside, True))
        self._end_line(0)

    def _enter(self, node: LexborNode, element: int) -> int | None:
        """Take a node in; the element that its children stand in, or None when they are not to be visited."""
        tag = node.tag or ""
        if tag == "-text":
            self._add(node.text_content or "", element)
            return None
        if tag == "br":
            self._end_line(element)
            return None
        if tag.startswith(("-", "!")) or tag in DROPPED:
            return None
        attributes = node.attributes
        if HIDDEN.search(attributes.get("style") or ""):
            return None  # but not for the attribute `hidden`, with which scripts choose among parts of the text
        if tag == "a":
            self._links += 1
        if tag == "pre":
            self._preformatted += 1
        if tag not in BLOCKS:
            return element
        self._end_line(element)
        label = " ".join(attributes.get(name) or "" for name in ("class", "id", "role")).strip().lower()
        self.blocks.elements.append(Element(element, tag, label))
        return len(self.blocks.elements) - 1

    def _leave(self, node: LexborNode, element: int) -> None:
        if node.tag == "a":
            self._links = max(0, self._links - 1)
        if node.tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)
        if node.tag in BLOCKS:
            self._end_line(element)

    def _add(self, text: str, element: int) -> None:
        if self._preformatted:
            *whole, text = text.split("\n")
            for line in whole:
                self._add_piece(line)
                self._end_line(element)
        self._add_piece(text)

    def _add_piece(self, text: str) -> None:
        if not self._pieces and (not text or text.isspace()):
            return
        self._pieces.append(text)
        if self._links:
            self._linked += len(SPACE.sub("", text))

    def _end_line(self, element: int) -> None:
        if not self._pieces:
            return
        text = SPACE.sub(" ", "".join(self._pieces)).strip()
        if text:
            self.blocks.lines.append(Line(element, text, self._linked))
        self._pieces.clear()
        self._linked = 0
