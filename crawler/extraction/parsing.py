"""Parse HTML within bounds of size and depth, from bytes or from a Scrapy response."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import find_base_url
from crawler.extraction.charset import decode_bytes, header_charset

if TYPE_CHECKING:
    from scrapy.http import Response  # which the process that reads pages does without

# As much of a page as can be parsed in bearable time.
#
# A parser's time grows with the square of what is nested, of the attributes of one tag, and of the formatting that
# nobody closes, which it takes up again in each paragraph.


MAX_MARKUP_CHARACTERS = 4_000_000  # characters of markup that are read: a second of work at the most
MAX_TAGS = 150_000  # beginnings and ends; a parser takes half a kilobyte for each element
HARMLESS_TAGS = 1_000  # tags of a page that can do no harm
MAX_BLOCK_DEPTH = 3_000  # blocks inside each other; no reader nests them so
MAX_OPEN_FORMATTING = 30  # tags such as <font> that are open at a time
MAX_OPTIONS = 2_000
HARMLESS_ROOT_TAGS = 3  # <html> and <body>, whose attributes are put together: of more the attributes are counted
MAX_ROOT_WORDS = 100  # words of these attributes. Comments for old browsers repeat the tags with a few each
LONG_TAG_CHARACTERS = 4_000  # characters; pictures inside of pages have longer ones, ...
MAX_TAG_WORDS = 300  # ... but no more words than this in them
TAG_PATTERN = re.compile(r"<(/?)([a-z][a-z0-9]*)([^<>]*)", re.IGNORECASE)
_TEXTLESS_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)  # comments, scripts, styles, tags
LONG_TAG_PATTERN = re.compile(rb"/?([a-z][^<>]{%d,})" % LONG_TAG_CHARACTERS)  # behind the bracket
# fmt: off
NESTED_BLOCK_TAGS = frozenset((
    "div", "section", "article", "aside", "main", "nav", "header", "footer", "center", "blockquote", "dl", "ol", "ul",
    "form", "fieldset", "details", "dir", "menu", "pre", "listing", "table", "button", "object", "marquee", "select",
))
FORMATTING_TAGS = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))
# fmt: on
# Asked of UTF-8 in small letters, and of every tag, so that what it may begin with is said first.
_WATCHED_NAMES = "|".join((*sorted(FORMATTING_TAGS), "html", "body", "option")).encode()
WATCHED_TAG = re.compile(rb"<(/?)(?=[bcefhinostu])(%b)(?![a-z0-9])" % _WATCHED_NAMES)
BLOCK_TAG = re.compile(rb"<(?=[abcdflmnopstu])(?:%b)(?![a-z0-9])" % "|".join(sorted(NESTED_BLOCK_TAGS)).encode())


def bound_markup(html: str, small: bytes | None = None) -> str:
    """A page without what nobody would read but a parser: nearly always all of it. Blocks that are too deep stand side
    by side, as a browser shows them. small: the page in UTF-8 and small letters, from whoever has it.
    """
    small = lowercase_utf8(html) if small is None else small
    tags = small.count(b"<")
    if len(html) > MAX_MARKUP_CHARACTERS or tags > MAX_TAGS:
        html = _read_beginning(html)
        small = lowercase_utf8(html)
        tags = small.count(b"<")
    return _thin_markup(html) if _is_harmful(small, tags) else html


def _read_beginning(html: str) -> str:
    return "<".join(html[:MAX_MARKUP_CHARACTERS].split("<", MAX_TAGS)[:MAX_TAGS])


def is_text_left_out(html: str) -> bool:
    """Whether `bound_markup` cuts a page off before its text ends. Tags and scripts behind the bound do not count."""
    if len(html) <= MAX_MARKUP_CHARACTERS and html.count("<") <= MAX_TAGS:
        return False
    behind = _TEXTLESS_MARKUP.sub(" ", html[len(_read_beginning(html)) :])
    return bool(behind.strip())


def lowercase_utf8(html: str) -> bytes:
    """UTF-8 in which names of elements and attributes can be looked for: quicker than in text."""
    return html.encode("utf-8", "replace").lower()


def _is_harmful(small: bytes, tags: int) -> bool:
    """Whether anything of it might be left out; looks at few of its tags, as nearly no page is such."""
    if (
        tags > MAX_BLOCK_DEPTH
        and tags - small.count(b"</") > MAX_BLOCK_DEPTH
        and len(BLOCK_TAG.findall(small)) > MAX_BLOCK_DEPTH
    ):
        return True
    return _has_long_tag(small) or (
        tags >= HARMLESS_TAGS and any(starmap(_TagBudget().leaves_out, WATCHED_TAG.findall(small)))
    )


def _has_long_tag(small: bytes) -> bool:
    """In a long tag stands a whole step without a bracket that opens one; on a page there are few such steps."""
    last, looked_at = -1, -2
    for place in range(0, len(small), LONG_TAG_CHARACTERS // 2):
        opens = small.rfind(b"<", place, place + LONG_TAG_CHARACTERS // 2)
        if opens >= 0:
            last = opens
        elif looked_at != last:
            looked_at = last  # the steps behind it say no more
            if _is_long_tag(small, last + 1):
                return True
    return False


def _is_long_tag(small: bytes, name: int) -> bool:
    match = LONG_TAG_PATTERN.match(small, name)
    return match is not None and len(match[1].decode("utf-8", "replace")) > LONG_TAG_CHARACTERS


def _thin_markup(html: str) -> str:
    thinned = _TagBudget()
    kept, at = [], 0
    for tag in TAG_PATTERN.finditer(html):
        instead = thinned.instead_of(tag)
        if instead is None:
            continue
        kept += [html[at : tag.start()], instead]
        at = tag.end()
    return "".join((*kept, html[at:])) if kept else html


class _TagBudget:
    """What is open at a place of the page."""

    def __init__(self) -> None:
        self._depth = self._formatting = self._options = self._roots = self._root_words = 0
        self._left_out = 0  # formatting tags whose end is left out, too

    def leaves_out(self, slash: bytes, name: bytes) -> bool:
        """Whether something else may stand in the place of a watched tag."""
        if name in (b"html", b"body") and not slash:
            self._roots += 1
            return self._roots > HARMLESS_ROOT_TAGS
        return self._instead(bool(slash), name.decode()) is not None

    def instead_of(self, tag: re.Match[str]) -> str | None:
        """What stands in the place of a tag; None: as it is. An empty attribute list ends in what follows, a ``>``."""
        rest = tag[3]
        if len(rest) > LONG_TAG_CHARACTERS and len(rest.split()) > MAX_TAG_WORDS:
            return f"<{tag[1]}{tag[2]}"
        name = tag[2].lower()
        if name in ("html", "body") and not tag[1]:
            self._root_words += len(rest.split())
            return f"<{name}" if self._root_words > MAX_ROOT_WORDS else None
        return self._instead(bool(tag[1]), name)

    def _instead(self, closes: bool, name: str) -> str | None:
        if name in FORMATTING_TAGS:
            return self._of_formatting(closes)
        if name in NESTED_BLOCK_TAGS:
            deep = self._depth > MAX_BLOCK_DEPTH if closes else self._depth >= MAX_BLOCK_DEPTH
            self._depth = max(0, self._depth - 1) if closes else self._depth + 1
            return "<wbr" if deep else None
        if name == "option" and not closes:
            self._options += 1
            return "<wbr" if self._options > MAX_OPTIONS else None
        return None

    def _of_formatting(self, closes: bool) -> str | None:
        if not closes:
            if self._formatting < MAX_OPEN_FORMATTING:
                self._formatting += 1
                return None
            self._left_out += 1
            return "<wbr"
        if self._left_out:
            self._left_out -= 1
            return "<wbr"
        self._formatting = max(0, self._formatting - 1)
        return None


# A response as a parsed page, for what is decided while crawling; parsed once, and by the quicker of the parsers.


MAX_PAGE_BYTES = 2 << 20  # bytes: a longer page is a text or a trap, and parsing it would hold up all others


@dataclass
class ParsedPage:
    """A page's markup, and what a crawl wants to know of it."""

    url: str
    text: str
    charset: str

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The page, parsed."""
        return LexborHTMLParser(bound_markup(self.text).replace("\0", ""))

    @cached_property
    def base(self) -> str:
        """What addresses in the page are relative to."""
        return find_base_url(self.tree, self.url)


def parse_response(response: "Response") -> ParsedPage:
    """What the server sent, in its true charset, bounded in length."""
    return parse_page(response.url, response.body[:MAX_PAGE_BYTES], response_content_type(response))


def parse_page(url: str, body: bytes, content_type: str) -> ParsedPage:
    """A page by its bytes, with the Content-Type that came with them."""
    decoded = decode_bytes(body, header_charset([("content-type", content_type)]))
    return ParsedPage(url, decoded.text, decoded.charset)


def response_content_type(response: "Response") -> str:
    """The Content-Type header; empty where there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def text_without_scripts(page: ParsedPage) -> str:
    """Everything that stands in the page but scripts and styles, which are taken out of its tree."""
    page.tree.strip_tags(["script", "style"])
    root = page.tree.root
    return (root.text(deep=True) or "") if root else ""


def parse_without_scripts(body: bytes, headers: Sequence[tuple[str, str]]) -> LexborHTMLParser:
    """A page without its scripts and styles."""
    tree = LexborHTMLParser(bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", ""))
    tree.strip_tags(["script", "style", "noscript", "template"])
    return tree


def extract_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """The text of such a page."""
    shown = parse_without_scripts(body, headers).body
    return shown.text() if shown else ""
