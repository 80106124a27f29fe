"""Split a page into lines of text, each with its element in the tree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.parsing import bound_markup
from crawler.extraction.visibility import PageVisibility, Sight

HAN_CHARACTER = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


# Their content is never read on the page.
# One word a line would hide them.
# fmt: off
DROPPED_TAGS = frozenset((
    "script", "style", "frame", "noframes", "object", "embed", "applet", "metadata", "desc",
    "annotation", "annotation-xml", "canvas", "audio", "video", "map", "select", "option", "datalist", "button", "head",
    "rt", "rp", "img", "source", "track", "wbr", "link", "meta", "base", "area", "param", "colgroup", "col",
))
BLOCK_TAGS = frozenset((
    "address", "article", "aside", "blockquote", "body", "caption", "center", "col", "colgroup", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "search",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
    "noscript", "text", "textarea",
))
HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
PREFORMATTED_TAGS = frozenset(("pre", "textarea"))  # their line breaks are visible
# fmt: on
INNER_PAGE_TAGS = frozenset(("iframe", "template"))
WRITTEN_TAGS = frozenset(("noscript", "textarea"))  # the parser treats their content as text, ...
WRITTEN_MARKUP = re.compile(
    r"</(?:p|div|span|a|li|td|h\d)>|<(?:p|div|br|img|iframe)\b", re.IGNORECASE
)  # ... also as markup
SKIPPED_TAGS = (
    DROPPED_TAGS | INNER_PAGE_TAGS | {"", "-comment", "-doctype", "-document"}
)  # <?php ?> is a node without a name
CONDITIONAL_TAGS = frozenset(
    ("br", "input", "math", "noscript", "sup", "svg", "title")
)  # they may be no text, or separate from the line around them
COUNTED_TAGS = frozenset(("a", "svg"))  # open elements are counted
WHITESPACE_RUN = re.compile(r"[ \t\r\n\f\u00a0\u3000]+")
UNEVEN_WHITESPACE = re.compile(r"[ \t\r\n\f\u00a0\u3000]{2,}|[\t\r\n\f\u00a0\u3000]")  # all but a single space
# The mark of a source behind a word, which is no part of the sentence. With a link around it, it is the number of a
# note, as in manuals. The note begins with the same number, and both are text.
SOURCE_MARK = re.compile(r"\[\d{1,3}\]")
MAX_PAGE_NODES = 400_000  # of a page; later nodes are left out, and that is noted
MAX_INNER_DEPTH = 3  # nested pages
OPENING_SIGNS = "[［(（【〔 "  # may precede a link at the start of a line
MIN_VERSE_NUMBERS = 3  # numbers that count the verses of a line, at least
LOCKED_ATTRIBUTES = frozenset(("readonly", "disabled"))  # of a field that shows text
MIN_FIELD_HAN = 6  # Han characters of such a field that is part of a text
STYLING_ATTRIBUTES = frozenset(("color", "hidden", "style"))  # those that may hide an element
MAX_CELL_CHARACTERS = 2  # characters of a cell with a single character and its punctuation
MIN_CELLS = 20  # in a row, each a line of its own; a week has seven
MIN_CELL_HAN_SHARE = 0.6  # share of Han characters in such cells; the others are punctuation
MIN_FORMULA_HAN_SHARE = 0.8  # share of Han characters among letters and digits of a formula that is a sentence
FIRST_CUSTOM_TAG_ID = 1_024  # lower ids are the parser's own names; higher ones belong to a single page
# What a visit does with a node, by its name alone: text; an element that starts a line of its own; one that stands in
# the line around it; a link; a node that is passed over; and one for which its name does not decide.
TEXT, BLOCK, INLINE, LINK, SKIPPED, OTHER = range(6)
_NODE_KINDS: dict[int, tuple[int, str]] = {}  # and its name, by tag id: reading the id takes half as long as the name


@dataclass(slots=True)
class Element:
    """Represent an element that starts a line of its own."""

    parent: int  # index into PageBlocks.elements; the root is its own parent
    tag: str
    label: str  # class, id and role, in lower case; for a custom element its name as well
    hidden: bool = False  # hidden by a style; a script may show it later


@dataclass(slots=True)
class TextLine:
    """Represent a run of text without a break."""

    element: int  # the block that holds it
    text: str = ""
    linked: int = 0  # characters inside links
    lead: int = 0  # characters up to the end of the link at its start
    # Whether it is running text, once that is known (`line_classification.is_running_text`).
    running: bool | None = field(default=None, init=False, compare=False, repr=False)


@dataclass(slots=True)
class PageBlocks:
    """Hold the lines of a page and their elements. An element comes after its parent."""

    elements: list[Element] = field(default_factory=list)
    lines: list[TextLine] = field(default_factory=list)
    cut: bool = False


def element_ends(elements: Sequence[Element]) -> list[int]:
    """Return for every element the index behind its last descendant."""
    ends = list(range(1, len(elements) + 1))
    for number in range(len(elements) - 1, 0, -1):
        parent = elements[number].parent
        ends[parent] = max(ends[parent], ends[number])
    return ends


def extract_blocks(tree: LexborHTMLParser, styles: Sequence[str] = (), *, own_styles: bool = True) -> PageBlocks:
    """Split the text of a page into lines.

    styles: the style sheets that it links to. own_styles: whether it may contain style elements.
    """
    root = tree.body or tree.root
    if root is None:
        return PageBlocks()
    reader = _BlockReader(PageVisibility(tree, styles, own=own_styles))
    reader.walk(root)
    if reader.unseen > sum(len(line.text) for line in reader.blocks.lines):
        # More invisible text than visible text: the colours are misjudged.
        reader = _BlockReader(PageVisibility(tree, styles, own=own_styles), believes_colors=False)
        reader.walk(root)
    join_character_cells(reader.blocks)
    return reader.blocks


class _BlockReader:
    def __init__(self, visibility: PageVisibility, *, believes_colors: bool = True) -> None:
        self.blocks = PageBlocks()
        self.unseen = 0  # characters left out because their ink is invisible
        self._visibility = visibility
        self._marked = visibility.marked
        self._believes_colors = believes_colors
        self._muted = set[int]()  # text nodes without ink or size, by their number
        self._left = MAX_PAGE_NODES
        self._deep = self._drawings = 0
        self._pieces: list[str] = []
        self._linked = 0
        self._lead = 0  # pieces of the link at the start of the line
        self._leads = True  # nothing else has come yet
        self._numbers: list[int] = []  # pieces that are a number and a link
        self._links = 0  # open <a> elements with a target
        self._preformatted = 0

    def walk(self, root: LexborNode, element: int = 0) -> None:  # noqa: PLR0912, PLR0915  split it takes 1.15 times as long
        """Visit a tree inside this element without recursion, because pages nest deeper than Python's stack.

        An element without a style of its own, as nearly all are, is entered here. `_enter` enters the others.
        """
        above: list[tuple[LexborNode, str, int]] = []  # the open elements, each with the block around it
        pieces, left, kinds, muted, marked = self._pieces, self._left, _NODE_KINDS, self._muted, self._marked
        elements = self.blocks.elements
        node: LexborNode | None = root
        while node is not None and left:
            left -= 1
            kind, tag = kinds.get(node.tag_id) or _node_kind(node)
            inside = None
            if kind == TEXT:
                if (pieces or not node.is_empty_text_node) and not (muted and node.mem_id in muted):
                    self._add(node.text_content or "", element)
            elif kind <= LINK:
                attributes = node.attributes
                if (attributes and not STYLING_ATTRIBUTES.isdisjoint(attributes)) or (marked and node.mem_id in marked):
                    inside = self._enter(node, kind, tag, element)
                elif kind == BLOCK:
                    if pieces:
                        self._end_line(element)
                    inside = len(elements)
                    elements.append(Element(element, tag, _element_label(attributes) if attributes else ""))
                else:
                    inside = element
                    if kind == LINK and attributes.get("href"):
                        self._links += 1
            elif kind == SKIPPED:
                pass
            elif self._is_inner_page(node, tag):
                self._left = left
                self._walk_inner(node, tag, element)
                left = self._left
            else:
                inside = self._enter(node, kind, tag, element)
            if inside is None:
                following = node.next if above else None
            else:
                above.append((node, tag, element))
                element = inside
                following = node.first_child
            while following is None and above:
                node, tag, outside = above.pop()
                if element != outside:
                    if pieces:
                        self._end_line(element)
                    if tag in PREFORMATTED_TAGS:
                        self._preformatted = max(0, self._preformatted - 1)
                    element = outside
                elif tag in COUNTED_TAGS:
                    self._leave_counted(tag)
                following = node.next if above else None
            node = following
        self._left = left
        self.blocks.cut = self.blocks.cut or node is not None
        self._end_line(element)

    def _walk_inner(self, node: LexborNode, tag: str, element: int) -> None:
        """Visit a complete page inside of this one, which is shown in its place."""
        attributes = node.attributes
        html = attributes.get("srcdoc") or "" if tag == "iframe" else ""
        if tag in WRITTEN_TAGS:
            html = node.text() or ""
        if tag == "template" and "shadowrootmode" in attributes:
            html = (node.html or "").partition(">")[2]
        if not html or self._deep >= MAX_INNER_DEPTH:
            return
        self._end_line(element)
        if tag in WRITTEN_TAGS:
            self.blocks.elements.append(Element(element, tag, _element_label(attributes)))
            element = len(self.blocks.elements) - 1
        inner = LexborHTMLParser(bound_markup(html))
        if inner.body is not None:
            self._deep += 1
            self.walk(inner.body, element)
            self._deep -= 1

    def _is_inner_page(self, node: LexborNode, tag: str) -> bool:
        return tag in INNER_PAGE_TAGS or (tag in WRITTEN_TAGS and WRITTEN_MARKUP.search(node.text() or "") is not None)

    def _enter(self, node: LexborNode, kind: int, tag: str, element: int) -> int | None:
        """Enter an element. Return the block of its children, or None if they are skipped."""
        own = False
        if kind == OTHER:
            if not self._is_entered(node, tag, element):
                return None
            own = "-" in tag
            if tag in BLOCK_TAGS or (own and not self._pieces):
                kind = BLOCK
        attributes = node.attributes
        sight = None  # of an element without a style of its own, which is as visible as its surroundings
        if (attributes and not STYLING_ATTRIBUTES.isdisjoint(attributes)) or (
            self._marked and node.mem_id in self._marked
        ):
            sight = self._visibility.judge(node, tag, attributes)
        if kind == BLOCK:
            if self._pieces:
                self._end_line(element)
            label = _element_label(attributes) if attributes else ""
            if own:
                label = f"{tag} {label}"
            elements = self.blocks.elements
            elements.append(Element(element, tag, label, sight is Sight.HIDDEN))
            element = len(elements) - 1
            if tag in PREFORMATTED_TAGS:
                self._preformatted += 1
        elif sight is Sight.HIDDEN or sight is Sight.UNSEEN:
            return None
        elif kind == LINK and attributes.get("href"):
            self._links += 1
        if sight is Sight.LETTERLESS and self._believes_colors:
            self._mute_letters(node, block=kind == BLOCK)
        return element

    def _mute_letters(self, node: LexborNode, *, block: bool = False) -> None:
        """Skip the letters of an element without size or ink, except for those inside that are visible again.

        block: the letters directly in a block. Unread style sheets may make others visible.
        """
        waiting = [node]
        while waiting:
            for child in waiting.pop().iter(include_text=True):
                tag = child.tag or ""
                if tag == "-text":
                    self._muted.add(child.mem_id)
                    self.unseen += len((child.text_content or "").strip())
                elif block and (tag in BLOCK_TAGS or "class" in child.attributes or "id" in child.attributes):
                    continue
                elif not self._visibility.shows_letters_again(child, tag):
                    waiting.append(child)

    def _is_entered(self, node: LexborNode, tag: str, element: int) -> bool:
        """Tell whether an ambiguous element is text."""
        if tag in ("br", "input"):
            if tag == "br":
                self._end_line(element)
            else:
                self._add(_input_prose(node.attributes), element)
            return False
        if tag == "svg":
            self._drawings += 1
        elif tag == "title":
            return not self._drawings
        elif tag == "math":
            return _is_mostly_han(node.text() or "")  # a sentence that is set as a formula
        elif tag == "noscript":
            return bool((node.text() or "").strip())
        elif tag == "sup":
            return bool(self._links) or SOURCE_MARK.fullmatch((node.text() or "").strip()) is None
        return True

    def _leave_counted(self, tag: str) -> None:
        if tag == "svg":
            self._drawings -= 1
        elif self._links:
            self._links -= 1

    def _add(self, text: str, element: int) -> None:
        if self._preformatted and "\n" in text:
            *whole, text = text.split("\n")
            for line in whole:
                self._add(line, element)
                self._end_line(element)
        pieces = self._pieces
        if not pieces and (not text or text.isspace()):
            return
        pieces.append(text)
        if self._leads:
            self._note_lead(text)
        if self._links and "://" not in text:  # an address that is written out is text
            if " " in text or not text.isprintable():  # the space is the only printable whitespace
                self._linked += len(WHITESPACE_RUN.sub("", text))
                text = text.strip()
            else:
                self._linked += len(text)
            if text.isdecimal():
                self._numbers.append(len(pieces) - 1)

    def _note_lead(self, text: str) -> None:
        if self._links:
            self._lead = len(self._pieces)
        elif self._lead or text.strip(OPENING_SIGNS):
            self._leads = False

    def _end_line(self, element: int) -> None:
        pieces = self._pieces
        if not pieces:
            return
        if self._numbers:
            if len(self._numbers) >= MIN_VERSE_NUMBERS:
                self._drop_verse_numbers()
            self._numbers.clear()
        text = _normalize_whitespace(pieces[0] if len(pieces) == 1 else "".join(pieces))
        if text:
            lead = self._lead
            if lead:
                lead = len(text) if lead == len(pieces) else len(_normalize_whitespace("".join(pieces[:lead])))
            self.blocks.lines.append(TextLine(element, text, self._linked, lead))
        pieces.clear()
        self._linked = self._lead = 0
        self._leads = True

    def _drop_verse_numbers(self) -> None:
        """Drop the links that count the verses of a line consecutively from its start."""
        numbers = [int(self._pieces[place]) for place in self._numbers]
        if self._numbers[0] or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            return
        for place in self._numbers:
            self._linked -= len(self._pieces[place].strip())
            self._pieces[place] = " " if place and self._pieces[place - 1][-1:].isascii() else ""
        self._lead = 0


def join_character_cells(blocks: PageBlocks) -> None:
    """Join the lines of a text with one element for each character, such as table cells."""
    lines = blocks.lines
    if sum(len(line.text) <= MAX_CELL_CHARACTERS for line in lines) < MIN_CELLS:
        return
    joined: list[TextLine] = []
    cells: list[TextLine] = []
    for line in (*lines, None):
        if line is not None and len(line.text) <= MAX_CELL_CHARACTERS:
            cells.append(line)
            continue
        text = "".join(cell.text for cell in cells)
        if len(cells) >= MIN_CELLS and len(HAN_CHARACTER.findall(text)) >= MIN_CELL_HAN_SHARE * len(text):
            ancestor = _common_ancestor(blocks.elements, [cell.element for cell in cells])
            joined.append(TextLine(ancestor, text, sum(cell.linked for cell in cells)))
        else:
            joined += cells
        cells.clear()
        if line is not None:
            joined.append(line)
    blocks.lines = joined


def _common_ancestor(elements: Sequence[Element], inside: Sequence[int]) -> int:
    """Return the nearest common ancestor. An element comes after its parent."""
    waiting = set(inside)
    while len(waiting) > 1:
        last = max(waiting)
        waiting.remove(last)
        waiting.add(elements[last].parent)
    return waiting.pop()


def _input_prose(attributes: dict[str, str | None]) -> str:
    """Return the prose in a read-only form field."""
    value = attributes.get("value") or ""
    if (attributes.get("type") or "text").lower() != "text" or LOCKED_ATTRIBUTES.isdisjoint(attributes):
        return ""
    return value if len(HAN_CHARACTER.findall(value)) >= MIN_FIELD_HAN else ""


def _is_mostly_han(text: str) -> bool:
    letters = [character for character in text if character.isalnum()]
    return len(letters) > 1 and len(HAN_CHARACTER.findall(text)) >= MIN_FORMULA_HAN_SHARE * len(letters)


def _normalize_whitespace(text: str) -> str:
    """Collapse whitespace to single spaces, and strip it at the ends."""
    text = text.strip()
    return text if "  " not in text and text.isprintable() else UNEVEN_WHITESPACE.sub(" ", text)


def _node_kind(node: LexborNode) -> tuple[int, str]:
    name = node.tag or ""
    if name == "-text":
        kind = TEXT
    elif name in INNER_PAGE_TAGS or name in WRITTEN_TAGS:
        kind = OTHER
    elif name in SKIPPED_TAGS:
        kind = SKIPPED
    elif name in CONDITIONAL_TAGS or name in PREFORMATTED_TAGS or "-" in name:
        kind = OTHER
    elif name == "a":
        kind = LINK
    else:
        kind = BLOCK if name in BLOCK_TAGS else INLINE
    if node.tag_id < FIRST_CUSTOM_TAG_ID:
        _NODE_KINDS[node.tag_id] = kind, name
    return kind, name


def _element_label(attributes: dict[str, str | None]) -> str:
    label = attributes.get("class") or ""
    if "id" in attributes:
        label = f"{label} {attributes['id'] or ''}"
    if "role" in attributes:
        label = f"{label} {attributes['role'] or ''}"
    return label.strip().lower()


MAX_EMPTY_PAGE_CHARACTERS = 100  # characters of text below which a page with scripts counts as one that they fill


def is_empty_until_scripts(html: str) -> bool:
    """Tell whether a page shows next to nothing and has scripts that may fill it."""
    if "<script" not in html.lower():
        return False
    return (
        sum(len(line.text) for line in extract_blocks(LexborHTMLParser(bound_markup(html).replace("\0", ""))).lines)
        < MAX_EMPTY_PAGE_CHARACTERS
    )
