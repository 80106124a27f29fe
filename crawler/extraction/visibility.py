"""Decide which elements of a page a reader sees, by styles, style sheets and attributes of HTML.

A style sheet that could not be fetched, an unknown custom property or a box without a size may hide short spans between
words. A page that puts many such spans into its sentences is read twice: with them and without.
"""

import re
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawler.extraction.appearance import (
    MIN_ALPHA,
    NO_APPEARANCE,
    PICTURE_GROUND,
    WHITE,
    Appearance,
    Color,
    is_unreadable,
    parse_color,
    parse_style,
)
from crawler.extraction.style_sheets import (
    MAX_COLORS,
    MAX_LINKED_SELECTORS,
    MIN_FILTERED_SELECTORS,
    SIMPLE_SELECTOR,
    Attributes,
    ColorRules,
    SheetRules,
    find_names,
    read_own_sheets,
    read_sheet,
    select_nodes,
)

MAX_STRAY_CHARACTERS = 4  # characters of a decoy between words
BLACK = Color(0.0, 0.0, 0.0)


class Sight(Enum):
    """List what a reader sees of an element."""

    SEEN = "seen"
    HIDDEN = "hidden"  # not the box; a script may show it later
    UNSEEN = "unseen"  # not its words, if it is between others
    LETTERLESS = "letterless"  # not its own letters; elements inside may set another size or ink


class PageVisibility:
    """Evaluate the styles of one page. It costs little if they do not affect visibility."""

    def __init__(self, tree: LexborHTMLParser, linked: Sequence[str] = (), *, own: bool = True) -> None:
        """Read the styles. linked: style sheets that the page links to. own: whether it may contain style elements."""
        self._tree = tree
        own_sheets = tuple(read_own_sheets(tree)) if own else ()
        linked_sheets = tuple(map(read_sheet, linked))
        selectors = sum(map(len, own_sheets)) + sum(map(len, linked_sheets))
        names = find_names(tree) if selectors >= MIN_FILTERED_SELECTORS else None
        self._own = tuple(sheet.find_rules(names=names) for sheet in own_sheets)
        self._linked = tuple(sheet.find_rules(MAX_LINKED_SELECTORS, names) for sheet in linked_sheets)
        self.hidden = self._select(self._own, lambda appearance: appearance.hides_box)
        # Sheets of a whole site are trusted only for text between other words, because scripts show the rest.
        self.unseen = self._select(self._own, lambda appearance: appearance.hides_words) | self._select(
            self._linked, lambda appearance: appearance.hides_box or appearance.hides_words
        )
        self.letterless = self._select((*self._own, *self._linked), lambda appearance: appearance.hides_letters)
        self._inks = ColorRules(tree, self._find_doubtful_inks())
        self._grounds_behind: dict[int, Color] = {}  # cached by element
        self.marked = (
            self.hidden | self.unseen | self.letterless | self._inks.nodes
        )  # the elements that style sheets affect

    def judge(self, node: LexborNode, tag: str, attributes: Attributes) -> Sight:
        """Return what a reader sees of an element whose surroundings are visible."""
        number = node.mem_id if self.marked else 0
        style = attributes.get("style")
        appearance = parse_style(style) if style else NO_APPEARANCE
        if appearance.hides_box or (number and number in self.hidden and not appearance.shows_box):
            return Sight.HIDDEN
        if (
            appearance.hides_words
            or ("hidden" in attributes and not appearance.shows_box and _is_stray_between_words(node))
            or (number and number in self.unseen and not appearance.shows_box)
            or (appearance.behind and (appearance.out_of_flow or self._has_ground_above(node)))
        ):
            return Sight.UNSEEN
        if appearance.hides_letters or (number and number in self.letterless and not appearance.shows_letters):
            return Sight.LETTERLESS
        ink = self._ink_of(node, tag, attributes, appearance)
        return Sight.SEEN if ink is None or not self._is_ink_unreadable(node, ink, appearance) else Sight.LETTERLESS

    def _ink_of(self, node: LexborNode, tag: str, attributes: Attributes, appearance: Appearance) -> Color | None:
        """Return the ink of an element's letters, if it may be invisible."""
        if appearance.ink is not None:
            return appearance.ink
        if tag != "a" and node.mem_id in self._inks.nodes and _has_words_beside(node):
            return self._inks.find_color(node, attributes)
        return _font_color(tag, attributes)

    def shows_letters_again(self, node: LexborNode, tag: str) -> bool:
        """Tell whether an element inside one with invisible letters makes its letters visible again."""
        attributes = node.attributes
        style = attributes.get("style")
        appearance = parse_style(style) if style else NO_APPEARANCE
        if appearance.shows_letters:
            return True
        ink = appearance.ink or _font_color(tag, attributes)
        return ink is not None and not is_unreadable(ink, self._ground_of(node))

    @cached_property
    def _page(self) -> Appearance:
        """Return the ink and the background of the whole page."""
        ink = ground = None
        for sheet in (*self._linked, *self._own):
            ink, ground = sheet.page.ink or ink, sheet.page.ground or ground
        body = self._tree.body
        attributes = body.attributes if body is not None else {}
        appearance = parse_style(attributes.get("style") or "")
        return Appearance(
            ink=appearance.ink or ink or parse_color((attributes.get("text") or "").strip().lower()) or BLACK,
            ground=appearance.ground or ground or _stated_ground(attributes) or WHITE,
        )

    @cached_property
    def _grounds(self) -> ColorRules:
        """Return the backgrounds in style sheets."""
        by_color: dict[Color, list[str]] = {}
        for sheet in (*self._linked, *self._own):
            for selector, appearance in sheet.appearances:
                if appearance.ground is not None and SIMPLE_SELECTOR.fullmatch(selector):
                    by_color.setdefault(appearance.ground, []).append(selector)
        return ColorRules(self._tree, by_color)

    def _find_ground(self, node: LexborNode, attributes: Attributes) -> Color | None:
        """Return the background that style sheets give to an element. A colour beyond the limit may be any."""
        ground = self._grounds.find_color(node, attributes)
        return ground if ground is None or self._grounds.ranks[ground] < MAX_COLORS else PICTURE_GROUND

    def _select(self, sheets: Sequence[SheetRules], hides: Callable[[Appearance], bool]) -> frozenset[int]:
        linked = sheets is self._linked
        selectors = [
            selector
            for sheet in sheets
            for selector, appearance in sheet.appearances
            if hides(appearance) and (not linked or SIMPLE_SELECTOR.fullmatch(selector))
        ]
        return select_nodes(self._tree, selectors) if selectors else frozenset()

    def _find_doubtful_inks(self) -> dict[Color, list[str]]:
        """Return the possibly invisible inks in style sheets, with their selectors."""
        appearances = [rule for sheet in (*self._linked, *self._own) for rule in sheet.appearances]
        grounds = {appearance.ground for _, appearance in appearances if appearance.ground is not None}
        doubtful: dict[tuple[Color, Color | None], bool] = {}  # by ink and background
        by_color: dict[Color, list[str]] = {}
        for selector, appearance in appearances:
            ink, ground = appearance.ink, appearance.ground
            if ink is None or ground == PICTURE_GROUND:
                continue
            if (ink, ground) not in doubtful:
                behind = {self._page.ground or WHITE} | grounds if ground is None else {ground}
                doubtful[ink, ground] = any(is_unreadable(ink, below) for below in behind)
            if doubtful[ink, ground] and SIMPLE_SELECTOR.fullmatch(selector):
                by_color.setdefault(ink, []).append(selector)
        return dict(list(by_color.items())[:MAX_COLORS])

    def _is_ink_unreadable(self, node: LexborNode, ink: Color, appearance: Appearance) -> bool:
        """Tell whether letters of this ink are invisible although those around them are visible."""
        ground = appearance.ground or self._ground_of(node)
        if not is_unreadable(ink, ground):
            return False
        if ink.alpha < MIN_ALPHA or appearance.ground is not None:
            return True
        around = self._ink_around(node)
        return not is_unreadable(around, ground)  # else the background is misjudged

    def _ground_of(self, node: LexborNode) -> Color:
        """Return the background behind an element."""
        passed: list[int] = []
        above: LexborNode | None = node
        ground: Color | None = None
        while above is not None and ground is None:
            number = above.mem_id
            ground = self._grounds_behind.get(number)
            if ground is None:
                passed.append(number)
                if above.tag in ("body", "html"):
                    break
                attributes = above.attributes
                ground = _stated_ground(attributes) or self._find_ground(above, attributes)
                above = above.parent
        ground = ground or self._page.ground or WHITE
        self._grounds_behind.update(dict.fromkeys(passed, ground))
        return ground

    def _has_ground_above(self, node: LexborNode) -> bool:
        """Tell whether an element between this one and the page has a background of its own."""
        above = node.parent
        while above is not None and above.tag not in ("body", "html"):
            if above.mem_id in self._grounds.nodes or _stated_ground(above.attributes):
                return True
            above = above.parent
        return False

    def _ink_around(self, node: LexborNode) -> Color:
        """Return the ink of the text around an element."""
        above = node.parent
        while above is not None and above.tag not in ("body", "html"):
            attributes = above.attributes
            ink = parse_style(attributes.get("style") or "").ink or self._inks.find_color(above, attributes)
            if ink := ink or _font_color(above.tag or "", attributes):
                return ink
            above = above.parent
        return self._page.ink or BLACK


def _has_words_beside(node: LexborNode) -> bool:
    """Tell whether text is directly beside an element or directly in it, unlike in a menu."""
    return any(
        near is not None and near.tag == "-text" and not near.is_empty_text_node
        for near in (node.prev, node.next, node.first_child)
    )


def _is_stray_between_words(node: LexborNode) -> bool:
    """Tell whether an element with the attribute `hidden` holds a few characters within a sentence.

    Scripts use the attribute to switch between longer parts, and between adjacent alternatives.
    """
    inside = node.first_child
    beside = [near for near in (node.prev, node.next) if near is not None]
    return (
        inside is not None
        and inside.next is None
        and bool(beside)
        and all(near.tag == "-text" for near in (inside, *beside))
        and len(inside.text_content or "") <= MAX_STRAY_CHARACTERS
    )


def _font_color(tag: str, attributes: Attributes) -> Color | None:
    written = attributes.get("color") if tag == "font" else None
    return parse_color(written.strip().lower()) if written else None


def _stated_ground(attributes: Attributes) -> Color | None:
    """Return the background that the attributes of an element give."""
    if not attributes:
        return None
    style = attributes.get("style")
    if style and (ground := parse_style(style).ground):
        return ground
    if attributes.get("background"):
        return PICTURE_GROUND
    written = attributes.get("bgcolor")
    return parse_color(written.strip().lower()) if written else None


_SPAN_TAGS: Final = "span|i|b|em|font|s|u|label|ins|q|small|strong|tt|var|code|a|bdo|bdi|data|cite|dfn|kbd|samp|abbr"
# The end of a span before a Han character in UTF-8: a quick test, before that for short spans.
_SPAN_BEFORE_HAN: Final = re.compile(rb"</(?:%b)>(?=[\xe3-\xe9])" % _SPAN_TAGS.encode())
_SHORT_SPAN: Final = re.compile(rb"<(?:%b)\s[^<>]{1,200}>[^<>]{1,24}</" % _SPAN_TAGS.encode())
# A selector of each tag would take eight times as long. An element with several of these attributes is found, and
# counts, once for each.
_SPAN_SELECTOR: Final = "[class],[id],[style]"
_SPAN_TAG_IDS: Final = frozenset(
    node.tag_id for tag in _SPAN_TAGS.split("|") for node in LexborHTMLParser(f"<{tag}>").css(tag)
)
_MIN_SPANS: Final = 12  # spans of a page, fewer are emphasis
_MIN_SPANS_SHARE: Final = 0.04  # spans for each character of the text
_MAX_SPAN_CHARACTERS: Final = MAX_STRAY_CHARACTERS


def may_hold_doubtful_spans(markup: bytes, length: int) -> bool:
    """Tell whether it is worth searching for such spans. markup: in UTF-8. length: characters of the page's text."""
    least = max(_MIN_SPANS, _MIN_SPANS_SHARE * length)
    return len(_SPAN_BEFORE_HAN.findall(markup)) >= least and len(_SHORT_SPAN.findall(markup)) >= least


def remove_doubtful_spans(tree: LexborHTMLParser, length: int) -> bool:
    """Remove the spans of a few characters within sentences. Return whether the page had many of them.

    length: characters of the page's text.
    """
    spans = [node for node in tree.css(_SPAN_SELECTOR) if node.tag_id in _SPAN_TAG_IDS and _is_within_sentence(node)]
    if len(spans) < max(_MIN_SPANS, _MIN_SPANS_SHARE * length):
        return False
    for node in {node.mem_id: node for node in spans}.values():
        node.decompose()
    return True


def _is_within_sentence(node: LexborNode) -> bool:
    """Tell whether an element holds a few characters between words, and leads nowhere."""
    inside, before, after = node.first_child, node.prev, node.next
    if inside is None or before is None or after is None or inside.next is not None:
        return False
    if any(near.tag != "-text" or near.is_empty_text_node for near in (inside, before, after)):
        return False
    return len((inside.text_content or "").strip()) <= _MAX_SPAN_CHARACTERS and "href" not in node.attributes
