"""As much of a page as can be parsed in bearable time.

A parser's time grows with the square of what is nested, of the attributes of one tag, and of the formatting that
nobody closes, which it takes up again in each paragraph.
"""

import re
from itertools import starmap

LONGEST_PAGE = 4_000_000  # characters of markup that are read: a second of work at the most
MOST_TAGS = 150_000  # beginnings and ends; a parser takes half a kilobyte for each element
FEW = 1_000  # tags of a page that can do no harm
DEEPEST = 3_000  # blocks inside each other; no reader nests them so
MOST_FORMATTING = 30  # tags such as <font> that are open at a time
MOST_OPTIONS = 2_000
MOST_WHOLES = 3  # <html> and <body>, whose attributes are put together
LONG_TAG = 4_000  # characters; pictures inside of pages have longer ones, ...
MOST_WORDS = 300  # ... but no more words than this in them
TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)([^<>]*)", re.IGNORECASE)
LONG = re.compile(rb"/?([a-z][^<>]{%d,})" % LONG_TAG)  # behind the bracket
# fmt: off
BLOCKS = frozenset((
    "div", "section", "article", "aside", "main", "nav", "header", "footer", "center", "blockquote", "dl", "ol", "ul",
    "form", "fieldset", "details", "dir", "menu", "pre", "listing", "table", "button", "object", "marquee", "select",
))
FORMATTING = frozenset((
    "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
))
# fmt: on
# Asked of UTF-8 in small letters, and of every tag, so that what it may begin with is said first.
_NAMES = "|".join((*sorted(FORMATTING), "html", "body", "option")).encode()
WATCHED = re.compile(rb"<(/?)(?=[bcefhinostu])(%b)(?![a-z0-9])" % _NAMES)
BLOCK = re.compile(rb"<(?=[abcdflmnopstu])(?:%b)(?![a-z0-9])" % "|".join(sorted(BLOCKS)).encode())


def bounded(html: str, small: bytes | None = None) -> str:
    """A page without what nobody would read but a parser: nearly always all of it. Blocks that are too deep stand side
    by side, as a browser shows them. small: the page in UTF-8 and small letters, from whoever has it.
    """
    small = in_small_letters(html) if small is None else small
    tags = small.count(b"<")
    if len(html) > LONGEST_PAGE or tags > MOST_TAGS:
        html = "<".join(html[:LONGEST_PAGE].split("<", MOST_TAGS)[:MOST_TAGS])
        small = in_small_letters(html)
        tags = small.count(b"<")
    return _thinned(html) if _may_harm(small, tags) else html


def in_small_letters(html: str) -> bytes:
    """UTF-8 in which names of elements and attributes can be looked for: quicker than in text."""
    return html.encode("utf-8", "replace").lower()


def _may_harm(small: bytes, tags: int) -> bool:
    """Whether anything of it might be left out; looks at few of its tags, as nearly no page is such."""
    if tags > DEEPEST and tags - small.count(b"</") > DEEPEST and len(BLOCK.findall(small)) > DEEPEST:
        return True
    return _has_long_tag(small) or (tags >= FEW and any(starmap(_Thinned().leaves_out, WATCHED.findall(small))))


def _has_long_tag(small: bytes) -> bool:
    """In a long tag stands a whole step without a bracket that opens one; on a page there are few such steps."""
    last, looked_at = -1, -2
    for place in range(0, len(small), LONG_TAG // 2):
        opens = small.rfind(b"<", place, place + LONG_TAG // 2)
        if opens >= 0:
            last = opens
        elif looked_at != last:
            looked_at = last  # the steps behind it say no more
            if _is_long(small, last + 1):
                return True
    return False


def _is_long(small: bytes, name: int) -> bool:
    found = LONG.match(small, name)
    return found is not None and len(found[1].decode("utf-8", "replace")) > LONG_TAG


def _thinned(html: str) -> str:
    thinned = _Thinned()
    kept, at = [], 0
    for tag in TAG.finditer(html):
        instead = thinned.instead_of(tag)
        if instead is None:
            continue
        kept += [html[at : tag.start()], instead]
        at = tag.end()
    return "".join((*kept, html[at:]))


class _Thinned:
    """What is open at a place of the page."""

    def __init__(self) -> None:
        self._depth = self._formatting = self._options = self._wholes = 0
        self._left_out = 0  # formatting tags whose end is left out, too

    def leaves_out(self, slash: bytes, name: bytes) -> bool:
        """Whether something else stands in the place of a watched tag."""
        return self._instead(bool(slash), name.decode()) is not None

    def instead_of(self, tag: re.Match[str]) -> str | None:
        """What stands in the place of a tag; None: as it is. An empty attribute list ends in what follows, a ``>``."""
        rest = tag[3]
        if len(rest) > LONG_TAG and len(rest.split()) > MOST_WORDS:
            return f"<{tag[1]}{tag[2]}"
        return self._instead(bool(tag[1]), tag[2].lower())

    def _instead(self, closes: bool, name: str) -> str | None:
        if name in FORMATTING:
            return self._of_formatting(closes)
        if name in BLOCKS:
            deep = self._depth > DEEPEST if closes else self._depth >= DEEPEST
            self._depth = max(0, self._depth - 1) if closes else self._depth + 1
            return "<wbr" if deep else None
        if name in ("html", "body") and not closes:
            self._wholes += 1
            return "<wbr" if self._wholes > MOST_WHOLES else None
        if name == "option" and not closes:
            self._options += 1
            return "<wbr" if self._options > MOST_OPTIONS else None
        return None

    def _of_formatting(self, closes: bool) -> str | None:
        if not closes:
            if self._formatting < MOST_FORMATTING:
                self._formatting += 1
                return None
            self._left_out += 1
            return "<wbr"
        if self._left_out:
            self._left_out -= 1
            return "<wbr"
        self._formatting = max(0, self._formatting - 1)
        return None
