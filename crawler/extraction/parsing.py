"""Parse HTML with limits on size and depth, from bytes or from a Scrapy response."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import sub
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import find_base_url
from crawler.extraction.charset import decode_bytes, header_charset
from wenhen.kit.size_and_time_limits import MAX_PAGE_BYTES

if TYPE_CHECKING:
    from scrapy.http import Response  # the child process that reads pages works without it

# Limits that keep the parsing time acceptable.
#
# A parser's time is quadratic in the nesting, in the attributes of one tag, and in unclosed formatting tags, which it
# reopens in each paragraph.


MAX_MARKUP_CHARACTERS = 4_000_000  # characters of markup that are read: a second of work at the most
MAX_TAGS = 150_000  # start and end tags; a parser takes half a kilobyte for each element
END_TAG_STEP_BYTES = 32_768  # bytes of each step of counting end tags
HARMLESS_TAGS = 1_000  # tags of a page that can do no harm
MAX_BLOCK_DEPTH = 3_000  # nested blocks; no reader nests them so
MAX_OPEN_FORMATTING = 30  # tags such as <font> that are open at a time
MAX_OPTIONS = 2_000
HARMLESS_ROOT_TAGS = 3  # <html> and <body>, whose attributes are merged: beyond this number the attributes are counted
MAX_ROOT_WORDS = 100  # words of these attributes. Comments for old browsers repeat the tags with a few each
LONG_TAG_CHARACTERS = 4_000  # characters; embedded pictures have longer tags, ...
MAX_TAG_WORDS = 300  # ... but not more words in them than this
TAG_PATTERN = re.compile(r"<(/?)([a-z][a-z0-9]*)([^<>]*)", re.IGNORECASE)
_TEXTLESS_MARKUP = re.compile(
    r"<!--.*?-->|<(script|style)\b.*?</\1\s*>|<[^<>]*>", re.IGNORECASE | re.DOTALL
)  # comments, scripts, styles, tags
LONG_TAG_PATTERN = re.compile(rb"/?([a-z][^<>]{%d,})" % LONG_TAG_CHARACTERS)  # behind the bracket
_LONG_OR_ROOT_TAG = re.compile(
    rf"<(/?)((?:html|body)(?![a-z0-9])|[a-z][a-z0-9]*(?=[^<>]{{{LONG_TAG_CHARACTERS}}}))([^<>]*)", re.IGNORECASE
)
# fmt: off
NESTED_BLOCK_TAGS = frozenset((
    "div", "section", "article", "aside", "main", "nav", "header", "footer", "center", "blockquote", "dl", "ol", "ul",
    "form", "fieldset", "details", "dir", "menu", "pre", "listing", "table", "button", "object", "marquee", "select",
))
FORMATTING_TAGS = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))
# fmt: on
# The pattern is matched against UTF-8 in lower case at every tag, so its possible first letters come first.
_WATCHED_NAMES = "|".join((*sorted(FORMATTING_TAGS), "html", "body", "option")).encode()
WATCHED_TAG = re.compile(rb"<(/?)(?=[bcefhinostu])(%b)(?![a-z0-9])" % _WATCHED_NAMES)
_FORMATTING_STEPS = {  # by slash and name of a watched tag: how many more formatting tags are open behind it
    (slash, name.encode()): step * (name in FORMATTING_TAGS)
    for slash, step in ((b"", 1), (b"/", -1))
    for name in (*FORMATTING_TAGS, "html", "body", "option")
}
BLOCK_TAG = re.compile(rb"<(?=[abcdflmnopstu])(?:%b)(?![a-z0-9])" % "|".join(sorted(NESTED_BLOCK_TAGS)).encode())


def bound_markup(html: str, small: bytes | None = None) -> str:
    """Reduce a page to what a parser can handle, which is nearly always all of it.

    Blocks that are too deep become siblings, as a browser shows them. small: the page in UTF-8 and lower case, if the
    caller has it.
    """
    small = lowercase_utf8(html) if small is None else small
    tags = small.count(b"<")
    if len(html) > MAX_MARKUP_CHARACTERS or tags > MAX_TAGS:
        html = _read_beginning(html)
        small = lowercase_utf8(html)
        tags = small.count(b"<")
    if _has_many_open_tags(small, tags):
        return _thin_markup(html)
    return _thin_long_tags(html) if _has_long_tag(small) else html


def _read_beginning(html: str) -> str:
    return "<".join(html[:MAX_MARKUP_CHARACTERS].split("<", MAX_TAGS)[:MAX_TAGS])


def is_text_left_out(html: str) -> bool:
    """Tell whether `bound_markup` cuts a page off before its text ends. Tags and scripts beyond it do not count."""
    if len(html) <= MAX_MARKUP_CHARACTERS and html.count("<") <= MAX_TAGS:
        return False
    behind = _TEXTLESS_MARKUP.sub(" ", html[len(_read_beginning(html)) :])
    return bool(behind.strip())


def lowercase_utf8(html: str) -> bytes:
    """Return UTF-8 with names of elements and attributes in lower case. Searching it is faster than searching text."""
    return html.encode("utf-8", "replace").lower()


def _has_many_open_tags(small: bytes, tags: int) -> bool:
    """Tell whether any of them might be left out. It examines few tags, because nearly no page is harmful."""
    if (
        tags > MAX_BLOCK_DEPTH
        and not _has_end_tags(small, tags - MAX_BLOCK_DEPTH)
        and len(BLOCK_TAG.findall(small)) > MAX_BLOCK_DEPTH
    ):
        return True
    return tags >= HARMLESS_TAGS and exceeds_budget(WATCHED_TAG.findall(small))


def _has_end_tags(small: bytes, least: int) -> bool:
    """Tell whether there are at least so many end tags. They are counted only as far as needed."""
    for place in range(0, len(small), END_TAG_STEP_BYTES):
        least -= small.count(b"</", place, place + END_TAG_STEP_BYTES + 1)  # one that spans two steps begins in one
        if least <= 0:
            return True
    return False


def exceeds_budget(tags: Sequence[tuple[bytes, bytes]]) -> bool:
    """Tell whether a budget of tags would replace any of these watched ones, in one pass over them for each bound."""
    numbers = Counter(tags)
    if numbers[b"", b"html"] + numbers[b"", b"body"] > HARMLESS_ROOT_TAGS or numbers[b"", b"option"] > MAX_OPTIONS:
        return True
    if sum(number for (slash, _), number in numbers.items() if not slash) <= MAX_OPEN_FORMATTING:
        return False
    # How many are open at a place is its sum of steps less the least sum before it, since an end tag closes nothing
    # where nothing is open.
    sums = list(accumulate(map(_FORMATTING_STEPS.__getitem__, tags), initial=0))
    most: int = max(map(sub, sums, accumulate(sums, min)))
    return most > MAX_OPEN_FORMATTING


def _has_long_tag(small: bytes) -> bool:
    """Tell whether there is a long tag. It spans a whole step without an opening bracket, as few steps do."""
    last, looked_at = -1, -2
    for place in range(0, len(small), LONG_TAG_CHARACTERS // 2):
        opens = small.rfind(b"<", place, place + LONG_TAG_CHARACTERS // 2)
        if opens >= 0:
            last = opens
        elif looked_at != last:
            looked_at = last  # the following steps add nothing
            if _is_long_tag(small, last + 1):
                return True
    return False


def _is_long_tag(small: bytes, name: int) -> bool:
    match = LONG_TAG_PATTERN.match(small, name)
    return match is not None and len(match[1].decode("utf-8", "replace")) > LONG_TAG_CHARACTERS


def _thin_long_tags(html: str) -> str:
    """Shorten the long tags of a page that is harmless otherwise."""
    thinned = _TagBudget()
    return _LONG_OR_ROOT_TAG.sub(lambda tag: thinned.shorten(tag) or tag[0], html)


def _thin_markup(html: str) -> str:
    thinned = _TagBudget()
    kept, end = [], 0
    for tag in TAG_PATTERN.finditer(html):
        instead = thinned.replacement_of(tag)
        if instead is None:
            continue
        kept += [html[end : tag.start()], instead]
        end = tag.end()
    return "".join((*kept, html[end:])) if kept else html


class _TagBudget:
    """Track what is open at a position of the page."""

    def __init__(self) -> None:
        self._depth = self._formatting = self._options = self._root_words = 0
        self._left_out = 0  # formatting tags whose end tag is also left out

    def replacement_of(self, tag: re.Match[str]) -> str | None:
        """Return the replacement of a tag, or None to keep it. A replacement ends before the ``>`` of the tag."""
        shorter = self.shorten(tag)
        name = tag[2].lower()
        if shorter is not None or (name in ("html", "body") and not tag[1]):
            return shorter
        return self._choose_replacement(bool(tag[1]), name)

    def shorten(self, tag: re.Match[str]) -> str | None:
        """Return a tag with too many words without them, or None to keep it."""
        rest = tag[3]
        if len(rest) > LONG_TAG_CHARACTERS and len(rest.split()) > MAX_TAG_WORDS:
            return f"<{tag[1]}{tag[2]}"
        name = tag[2].lower()
        if name in ("html", "body") and not tag[1]:
            self._root_words += len(rest.split())
            return f"<{name}" if self._root_words > MAX_ROOT_WORDS else None
        return None

    def _choose_replacement(self, closes: bool, name: str) -> str | None:
        if name in FORMATTING_TAGS:
            return self._replace_formatting(closes)
        if name in NESTED_BLOCK_TAGS:
            deep = self._depth > MAX_BLOCK_DEPTH if closes else self._depth >= MAX_BLOCK_DEPTH
            self._depth = max(0, self._depth - 1) if closes else self._depth + 1
            return "<wbr" if deep else None
        if name == "option" and not closes:
            self._options += 1
            return "<wbr" if self._options > MAX_OPTIONS else None
        return None

    def _replace_formatting(self, closes: bool) -> str | None:
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


# A response as a parsed page for crawling decisions: parsed once, with the fastest parser.


@dataclass
class ParsedPage:
    """Hold a page's markup, parsed on demand for the crawl."""

    url: str
    text: str
    charset: str

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """Return the page, parsed."""
        return LexborHTMLParser(bound_markup(self.text).replace("\0", ""))

    @cached_property
    def base(self) -> str:
        """Return the base of relative addresses in the page."""
        return find_base_url(self.tree, self.url)


def parse_response(response: "Response") -> ParsedPage:
    """Return the response in its true charset, limited in length."""
    return parse_page(response.url, response.body[:MAX_PAGE_BYTES], response_content_type(response))


def parse_page(url: str, body: bytes, content_type: str) -> ParsedPage:
    """Return a page from its bytes and its Content-Type."""
    decoded = decode_bytes(body, header_charset([("content-type", content_type)]))
    return ParsedPage(url, decoded.text, decoded.charset)


def response_content_type(response: "Response") -> str:
    """Return the Content-Type header, or "" if there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def text_without_scripts(page: ParsedPage) -> str:
    """Return all text of the page except scripts and styles. Removes these from its tree."""
    page.tree.strip_tags(["script", "style"])
    root = page.tree.root
    return (root.text(deep=True) or "") if root else ""


def parse_without_scripts(body: bytes, headers: Sequence[tuple[str, str]]) -> LexborHTMLParser:
    """Return the tree of a page without its scripts and styles."""
    tree = LexborHTMLParser(bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", ""))
    tree.strip_tags(["script", "style", "noscript", "template"])
    return tree


def extract_whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """Return the whole text of a page without its scripts and styles."""
    shown = parse_without_scripts(body, headers).body
    return shown.text() if shown else ""
