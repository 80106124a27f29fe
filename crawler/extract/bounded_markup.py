"""As much of a page as can be parsed in bearable time.

A parser's time grows with the square of what is nested, of the attributes of one tag, and of the formatting that
nobody closes, which it takes up again in each paragraph.
"""

import re
from itertools import accumulate
from operator import sub

import numpy as np
from numpy.typing import NDArray

LONGEST_PAGE = 8_000_000  # characters of markup that are read: seconds of work at the most
MOST_TAGS = 300_000  # beginnings and ends; a parser takes half a kilobyte for each element
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
# Asked of UTF-8 in small letters.
_NAMES = "|".join((*sorted(FORMATTING), "html", "body", "option")).encode()
WATCHED = re.compile(rb"</?(%b)(?![a-z0-9])" % _NAMES)
BLOCK = re.compile(rb"<(?=[abcdflmnopstu])(?:%b)(?![a-z0-9])" % "|".join(sorted(BLOCKS)).encode())
_OPENS, _SLASH = b"</"


def bounded(html: str, small: bytes | None = None) -> str:
    """A page without what nobody would read but a parser: nearly always all of it. Blocks that are too deep stand side
    by side, as a browser shows them. small: the page in UTF-8 and small letters, from whoever has it.
    """
    small = in_small_letters(html) if small is None else small
    opening = _opening(small)
    if len(html) > LONGEST_PAGE or len(opening) > MOST_TAGS:
        html = "<".join(html[:LONGEST_PAGE].split("<", MOST_TAGS)[:MOST_TAGS])
        small = in_small_letters(html)
        opening = _opening(small)
    return _thinned(html) if _may_harm(small, opening) else html


def in_small_letters(html: str) -> bytes:
    """UTF-8 in which names of elements and attributes can be looked for: quicker than in text."""
    return html.encode("utf-8", "replace").lower()


def _opening(small: bytes) -> NDArray[np.intp]:
    """Where the brackets stand that open a tag."""
    return np.flatnonzero(np.frombuffer(small, np.uint8) == _OPENS)


def _may_harm(small: bytes, opening: NDArray[np.intp]) -> bool:
    """Whether anything of it might be left out; looks at few of its tags, as nearly no page is such."""
    ends = _characters(small, opening + 1) == _SLASH
    begun = len(opening) - np.count_nonzero(ends)
    if begun > DEEPEST and len(BLOCK.findall(small)) > DEEPEST:
        return True
    return _has_long_tag(small) or (len(opening) >= FEW and _are_too_many(small, _watched(small, opening, ends)))


def _characters(small: bytes, places: NDArray[np.intp]) -> NDArray[np.uint8]:
    """What stands there; the last character of the page where a place is behind it."""
    return np.frombuffer(small, np.uint8).take(places, mode="clip")


def _watched(small: bytes, opening: NDArray[np.intp], ends: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The brackets of tags that may be watched, by the two characters that their names begin with."""
    names = opening + 1 + ends
    return opening[_BEGINNINGS[_characters(small, names), _characters(small, names + 1)]]


def _are_too_many(small: bytes, opening: NDArray[np.intp]) -> bool:
    """Whether a watched tag of these is left out."""
    tags = [tag[0] for at in opening.tolist() if (tag := WATCHED.match(small, at))]
    wholes = tags.count(b"<html") + tags.count(b"<body")
    if wholes > MOST_WHOLES or tags.count(b"<option") > MOST_OPTIONS:
        return True
    open_ones = list(accumulate(map(_STEPS.__getitem__, tags)))
    return any(open_now > MOST_FORMATTING for open_now in map(sub, open_ones, accumulate(open_ones, min, initial=0)))


def _beginnings() -> NDArray[np.bool_]:
    """Whether the name of a watched tag may begin with two characters, the second of which may be behind it."""
    table = np.zeros((256, 256), np.bool_)
    behind = [byte for byte in range(256) if not chr(byte).isalnum() or byte > 127]
    for name in (*FORMATTING, "html", "body", "option"):
        first, *rest = name.encode()
        table[first, rest[0] if rest else behind] = True
    return table


_BEGINNINGS = _beginnings()
# What each of them adds to the formatting that is open.
_STEPS = {f"<{name}".encode(): 0 for name in ("html", "body", "option", "/html", "/body", "/option")}
_STEPS |= {f"{sign}{name}".encode(): step for sign, step in (("<", 1), ("</", -1)) for name in FORMATTING}


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
