"""Read from style sheets which selectors hide elements or colour them. Validate CSS selectors."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from crawler.extraction.appearance import NO_APPEARANCE, Appearance, Color, parse_declarations, read_declarations


@lru_cache(16_384)  # the selectors of a site's style sheets recur on all its pages
def is_css_selector(written: str) -> bool:
    """Tell whether a string is a CSS selector, or several separated by commas.

    >>> is_css_selector("p > i"), is_css_selector("p:before")
    (True, False)
    """
    try:
        _PROBE.css(written)
    except SelectolaxError:
        return False
    return True


_PROBE = LexborHTMLParser("<p>")  # a page to try selectors on
Attributes = dict[str, str | None]
CSS_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
SIMPLE_SELECTOR = re.compile(r"[\w\s.#>+~:-]+")  # a selector without strings or brackets, so that a comma ends it
_UNMET_STATE = re.compile(r":(?:hover|active|focus)(?![\w-])")  # of an element that nobody touches
_SELECTOR_BREAK = re.compile(r"[\s>+~]+")
_NAME_BREAK = re.compile(r"[.#]")
_NAME = re.compile(r"[.#]([\w-]+)")  # of a class or an id
_SELECTOR_CONDITION = re.compile(r"\([^()\[\]]*\)|\[[^\[\]]*\]")  # of a pseudo-class or an attribute
_SELECTOR_PARTS = frozenset("()[]\"'\\")
CSS_BRACE = re.compile(r"([{}])")
# Rules inside of these apply to every reader. Those for print or narrow screens do not.
_TRANSPARENT_AT_RULE = re.compile(r"@(?:media\s+(?:only\s+)?(?:all|screen)|supports\b.*|layer\b.*)\s*", re.IGNORECASE)
_PAGE_SELECTORS = frozenset(("html", "body", ":root", "html body"))
MAX_STYLE_CHARACTERS = 200_000  # characters of one style element that are examined
MAX_ALL_STYLE_CHARACTERS = 1_000_000  # of all: nested ones each include those within
MAX_HIDING_SELECTORS = 100  # selectors, each of which is searched in the whole page
MAX_LINKED_SELECTORS = 500  # of a linked sheet, all searched at once
MIN_FILTERED_SELECTORS = 100  # selectors of all sheets, from which it pays to list the names in the page
MAX_COLORS = 32  # different colours of selectors, each of which is searched in the whole page
STYLE_CACHE_SIZE = 64  # style sheets whose selectors are cached: a site uses them on all its pages


class SheetRules(NamedTuple):
    """Hold the visibility rules of a style sheet by selector. The last rule of each selector counts."""

    appearances: tuple[tuple[str, Appearance], ...]
    page: Appearance  # of the whole page: its ink and its background


class StyleSheet:
    """Hold the rules of a style sheet. Their declarations are parsed on demand, because few rules concern a page."""

    def __init__(self, sheet: str) -> None:
        """Split the sheet into rules."""
        self._bodies: list[str] = []  # the declarations of each rule
        self._declared: dict[int, Mapping[str, str]] = {}  # parsed, by number of the rule
        self._appearances: dict[tuple[int, ...], Appearance] = {}  # many selectors share a rule
        numbers: dict[str, list[int]] = {}  # of the rules, by selector
        for selectors, body in _parse_rules(CSS_COMMENT.sub("", sheet[:MAX_STYLE_CHARACTERS])):
            if ":" not in body:
                continue
            for selector in selectors.split(","):
                numbers.setdefault(selector.strip(), []).append(len(self._bodies))
            self._bodies.append(body)
        self._numbers = {selector: tuple(places) for selector, places in numbers.items() if _may_match(selector)}
        self._names: list[tuple[str, frozenset[str]]] | None = None  # selectors, each with the names that it needs
        self._all_rules: dict[int, SheetRules] = {}  # of all selectors, by the limit

    def __len__(self) -> int:
        """Return the number of selectors."""
        return len(self._numbers)

    def find_rules(self, most: int = MAX_HIDING_SELECTORS, names: AbstractSet[str] | None = None) -> SheetRules:
        """Return the rules that may hide or colour something.

        most: limit of the hiding selectors. names: classes and ids of the page. Selectors with others are left out.
        """
        if names is not None:
            return self._find_rules(most, names)
        if most not in self._all_rules:
            self._all_rules[most] = self._find_rules(most, None)
        return self._all_rules[most]

    def _find_rules(self, most: int, names: AbstractSet[str] | None) -> SheetRules:
        appearances: list[tuple[str, Appearance]] = []
        hiding = 0
        for selector in self._numbers if names is None else self._selectors_with(names):
            if selector.lower() in _PAGE_SELECTORS:
                continue
            places = self._numbers[selector]
            appearance = self._appearances.get(places)
            if appearance is None:
                appearance = self._appearances[places] = self._appearance(self._merge(places))
            if appearance is NO_APPEARANCE:
                continue
            hides = appearance.hides_box or appearance.hides_words or appearance.hides_letters
            hiding += hides
            if (hides and hiding <= most) or appearance.ink or appearance.ground or appearance.behind:
                appearances.append(
                    (
                        selector,
                        appearance if hiding <= most else Appearance(ink=appearance.ink, ground=appearance.ground),
                    )
                )
        return SheetRules(tuple(appearances), self._page)

    @cached_property
    def _page(self) -> Appearance:
        """Return the appearance of the whole page. These selectors need no names, so every page has all of them."""
        declared: dict[str, str] = {}
        for selector, places in self._numbers.items():
            if selector.lower() in _PAGE_SELECTORS:
                declared.update(self._merge(places))
        return self._appearance(declared)

    def _selectors_with(self, names: AbstractSet[str]) -> Iterator[str]:
        """Yield the selectors whose classes and ids are all among these names."""
        if self._names is None:
            self._names = [(selector, _needed_names(selector)) for selector in self._numbers]
        return (selector for selector, needed in self._names if needed <= names)

    def _appearance(self, declared: Mapping[str, str]) -> Appearance:
        return read_declarations(declared, self._variables if "var(" in "".join(declared.values()) else None)

    @cached_property
    def _variables(self) -> Mapping[str, str]:
        """Return the custom properties. The first value of each counts."""
        variables: dict[str, str] = {}
        for place, body in enumerate(self._bodies):
            if "--" in body:
                for name, value in self._declarations(place).items():
                    if name.startswith("--"):
                        variables.setdefault(name, value)
        return variables

    def _declarations(self, place: int) -> Mapping[str, str]:
        declared = self._declared.get(place)
        if declared is None:
            declared = self._declared[place] = parse_declarations(self._bodies[place])
        return declared

    def _merge(self, places: Sequence[int]) -> Mapping[str, str]:
        """Return the declarations of several rules. The last one of each property counts."""
        if len(places) == 1:
            return self._declarations(places[0])
        merged: dict[str, str] = {}
        for place in places:
            merged.update(self._declarations(place))
        return merged


@lru_cache(STYLE_CACHE_SIZE)
def read_sheet(sheet: str) -> StyleSheet:
    """Return the rules of a style sheet.

    >>> read_sheet(".a { color: #fff } .b { display: none }").find_rules().appearances[1][0]
    '.b'
    """
    return StyleSheet(sheet)


def find_names(tree: LexborHTMLParser) -> frozenset[str]:
    """Return the classes and ids of a page in lower case."""
    names: set[str] = set()
    for node in tree.css("[class],[id]"):
        attributes = node.attributes
        if written := attributes.get("class"):
            names.update(written.lower().split())
        if written := attributes.get("id"):
            names.add(written.lower())
    return frozenset(names)


def _needed_names(selector: str) -> frozenset[str]:
    """Return the classes and ids that a selector needs, in lower case. Selectors that are read in part need fewer.

    >>> sorted(_needed_names("#top > A.more:link")), sorted(_needed_names("i.less:not(.more)"))
    (['more', 'top'], ['less'])
    """
    if SIMPLE_SELECTOR.fullmatch(selector) is None:
        selector = _SELECTOR_CONDITION.sub("", selector)
        if not _SELECTOR_PARTS.isdisjoint(selector):
            return frozenset()  # half of a condition, or a name with an escape
    return frozenset(_NAME.findall(selector.lower()))


def select_nodes(tree: LexborHTMLParser, selectors: Sequence[str]) -> frozenset[int]:
    """Return the nodes that match the selectors. Simple selectors share one walk through the page."""
    selectors = [selector for selector in selectors if is_css_selector(selector)]
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


def _may_match(selector: str) -> bool:
    """Tell whether a selector may match elements.

    Pseudo-elements are not in the tree, and universal selectors match everything.
    """
    if "::" in selector or "*" in selector:
        return False
    return "(" in selector or _UNMET_STATE.search(selector) is None


class ColorRules:
    """Look up the colours that style sheets give to the elements of a page. Of several colours the last one counts."""

    def __init__(self, tree: LexborHTMLParser, by_color: Mapping[Color, Sequence[str]]) -> None:
        """Find the elements in one query. by_color: simple selectors."""
        self.nodes = select_nodes(tree, [selector for selectors in by_color.values() for selector in selectors])
        self.ranks = {color: place for place, color in enumerate(by_color)}
        self._tree = tree
        self._by_color = by_color
        self._candidates: dict[frozenset[str], list[Color]] = {}  # cached by the names of an element
        self._selected: dict[Color, frozenset[int]] = {}  # cached, because each colour needs a query

    def find_color(self, node: LexborNode, attributes: Attributes) -> Color | None:
        """Return the colour of an element. Most often its names leave only one, and no query is needed."""
        if node.mem_id not in self.nodes:
            return None
        classes = (attributes.get("class") or "").lower().split()
        names = frozenset(((node.tag or "").lower(), (attributes.get("id") or "").lower(), *classes))
        colors = self._candidates.get(names)
        if colors is None:
            colors = self._candidates[names] = [
                color
                for color, selectors in self._by_color.items()
                if any(_last_names(selector) <= names for selector in selectors)
            ]
        if len(colors) == 1:
            return colors[0]
        return next((color for color in reversed(colors) if node.mem_id in self._select(color)), None)

    def _select(self, color: Color) -> frozenset[int]:
        if color not in self._selected:
            self._selected[color] = select_nodes(self._tree, self._by_color[color])
        return self._selected[color]


@lru_cache(16_384)
def _last_names(selector: str) -> frozenset[str]:
    """Return the tag, the id and the classes that the last part of a simple selector names, in lower case.

    >>> sorted(_last_names("#top > A.more:link"))
    ['a', 'more']
    """
    last = _SELECTOR_BREAK.split(selector.strip())[-1]
    return frozenset(name for name in _NAME_BREAK.split(last.partition(":")[0].lower()) if name)


def read_own_sheets(tree: LexborHTMLParser) -> Iterator[StyleSheet]:
    """Yield each style element of the page."""
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
