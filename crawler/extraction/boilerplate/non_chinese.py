"""Choose the lines of a page in another language: by the boxes around them, and by trafilatura as a second judge.

Boxes that are called share bar, newsletter, byline … are no text. Where our reading is then still in doubt, the library
reads the page too, and what both take is the text. It costs more than all the rest. So it is not asked about a text
that stands in one place. It never adds a line that our own reading of the page does not hold, so hidden text stays out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import ceil
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.page_lines import Element, PageBlocks, TextLine

MAX_MARKUP_CHARACTERS = 1_000_000  # of a page that the library reads
MAX_TAGS = 30_000  # of such a page, since the library's time grows with their square: three seconds at worst
MAX_CHINESE_SHARE = 0.1  # share of Han characters among a page's words, from which it is Chinese
MIN_KANA_SHARE = 0.1  # share of kana among these and Han characters, from which it is Japanese
MIN_VOTED_SHARE = 0.5  # share of a line's pairs of words in the library's text
MIN_SHARED = 0.5  # share of the shorter reading that both must hold, or one of them read another place
MIN_KEPT = 0.5  # share of our own reading: no choice leaves out more than it keeps; .2 gains .006 on one public set
MIN_COVERED = 0.2  # share of the page's letters outside of links; a text with fewer may stand in another place
MAX_SCATTERED = 0.3  # share of a text outside of the container of its paragraphs
MAX_DOUBTFUL_CHARACTERS = 1_500  # of a scattered text; a longer one outweighs what is wrong in it
_HAN_RUN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_KANA_RUN: Final = re.compile(r"[\u3040-\u30ff]+")
# In UTF-8: the first bytes of characters that may be kana or Han, and those that only Han characters have. Bytes are
# counted and found ten times as fast as characters by an expression.
_CJK_LEADS: Final = bytes((*range(0xE3, 0xEA), 0xEF))
_HAN_LEADS: Final = bytes(range(0xE4, 0xEA))
_WORD: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
# What a box is called, by its class, id or role. Most are the words that trafilatura discards.
_BOX_LABEL: Final = re.compile(
    r"\bshar|share|social|viral|sociable|"
    r"newsletter|syndication|subscri|sign-?up|feedback|"
    r"author|byline|user-(?:info|profile)|credit|copyright|"
    r"tags|tag-list|meta\b|timestamp|rating|article-infos|"
    r"sidebar|banner|bread-?crumb|button|footer|nav\b|navig|navb|menu|bar\b|-icon|"
    r"related|next-|-stories|most-popular|more-on|latest|recommend|trending|timeline|teaser|promo|premium|"
    r"(?:\b|_)ads?(?:\b|_)|topad|adcaption|outbrain|taboola|criteo|paid-?content|widget|"
    r"cookie|consent|modal|permission|overlay|slide|"
    r"image|photo|thumb|caption|attachment|embed|"
    r"hidden|hide-|noprint"
)
_LABELLED_TAGS: Final = frozenset(("div", "ul", "ol", "li", "p", "section", "span"))
_BOX_TAGS: Final = frozenset(
    ("aside", "footer", "form", "figure", "figcaption", "nav", "dialog", "fieldset", "legend", "menu")
)
_LINK_LIST_TAGS: Final = frozenset(("li", "td", "th", "h2", "h3", "h4", "h5"))  # of an index that may be the text
_PARAGRAPH_TAGS: Final = frozenset(("p", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"))
# Elements that the library leaves out itself. It takes a third less time without them.
_NEVER_READ: Final = (
    "head,script,style,noscript,svg,iframe,img,picture,video,audio,canvas,select,button,input,template,object,embed,link,"
    "meta,nav,footer,aside"
)

WordPairs = frozenset[tuple[str, ...]]
PlacedLine = tuple[str, TextLine | None]  # a line of the text, and where it stands on the page


def is_chinese(text: str) -> bool:
    """Tell whether a text may be Chinese: by the share of Han characters among its words. Japanese has kana.

    >>> is_chinese("PDF 文件如何打开 Open a file"), is_chinese("The ferry"), is_chinese("渡し船は朝に出る")
    (True, False, False)
    """
    written = text.encode("utf-8", "replace")
    if not _count_bytes(written, _CJK_LEADS):  # neither Han characters nor kana
        return _WORD.search(text) is None
    if not may_hold_kana(written):
        if count_certain_han(written) >= MAX_CHINESE_SHARE * len(text):
            return True
        kana = 0
    else:
        kana = sum(map(len, _KANA_RUN.findall(text)))
    han = sum(map(len, _HAN_RUN.findall(text)))
    if MIN_KANA_SHARE * (han + kana) <= kana > 0:
        return False
    if han >= MAX_CHINESE_SHARE * len(text):
        return True
    # Words are counted only where the letters do not decide, and only as far as they can decide.
    enough = ceil(2 * han / MAX_CHINESE_SHARE) + 1
    return han >= MAX_CHINESE_SHARE * sum(1 for _ in islice(_WORD.finditer(text), enough))


def _count_bytes(written: bytes, which: bytes) -> int:
    """Count the bytes that are among these."""
    return len(written) - len(written.translate(None, which))


def count_certain_han(written: bytes) -> int:
    """Count the Han characters from U+4000 to U+9FFF, which nearly all are."""
    return _count_bytes(written, _HAN_LEADS)


_KANA_BEGINNING: Final = re.compile(rb"\xe3[\x81-\x83]")


def may_hold_kana(written: bytes) -> bool:
    """Tell whether a text may hold kana. Without the first two bytes of one it holds none.

    The first byte alone is frequent, as Chinese punctuation has it too. One expression passes over it in a seventh of
    the time of three searches.
    """
    return _KANA_BEGINNING.search(written) is not None


def _may_be_judged(html: str) -> bool:
    """Tell whether the library reads a page of this markup in bounded time."""
    return len(html) <= MAX_MARKUP_CHARACTERS and html.count("<") <= MAX_TAGS


@dataclass(frozen=True, slots=True)
class ChosenLines:
    """The lines of a page's text. judged: whether the library took part in choosing them."""

    lines: list[str]
    judged: bool


def choose_lines(shown: Sequence[str], blocks: PageBlocks, html: str) -> ChosenLines:
    """Return the lines of a page's text.

    shown: our own reading. html: the page's markup. The library is asked only where it may find more than the names of
    boxes do: where our text is little of the page, or short and scattered.
    """
    placed = list(_place_lines(shown, blocks))
    kept = _drop_boxes(placed, blocks.elements)
    if _may_be_judged(html) and (_is_elsewhere(shown, blocks.lines) or _is_scattered(kept, blocks.elements)):
        return ChosenLines(_choose_with_library(shown, blocks, html), judged=True)
    return ChosenLines([text for text, _ in kept], judged=False)


# Our own choice, by the elements around a line.


def _place_lines(shown: Sequence[str], blocks: PageBlocks) -> Iterator[PlacedLine]:
    """Yield each line with where it stands on the page. A line that was changed since it was read stands nowhere."""
    texts = set(shown)
    places = defaultdict[str, list[TextLine]](list)
    for line in reversed(blocks.lines):
        if line.text in texts:
            places[line.text].append(line)
    for text in shown:
        yield text, places[text].pop() if places[text] else None


def _drop_boxes(placed: Sequence[PlacedLine], elements: Sequence[Element]) -> list[PlacedLine]:
    """Return the lines without those in a box that is called no text, and links. All of them, if most would go."""
    inside: dict[int, bool] = {0: False}
    kept = [place for place in placed if not _is_furniture(place[1], elements, inside)]
    return kept if _count_characters(kept) >= MIN_KEPT * _count_characters(placed) else list(placed)


def _is_furniture(line: TextLine | None, elements: Sequence[Element], inside: dict[int, bool]) -> bool:
    if line is None or (tag := elements[line.element].tag) == "h1":
        return False
    return (
        tag == "title"  # of a picture
        or (2 * line.linked > len(line.text) and tag not in _LINK_LIST_TAGS)
        or _is_in_box(line.element, elements, inside)
    )


def _is_in_box(number: int, elements: Sequence[Element], inside: dict[int, bool]) -> bool:
    """Tell whether an element or one around it is a box. inside: what is known of elements, to which this is added."""
    way = []
    while number not in inside:
        element = elements[number]
        way.append(number)
        if element.tag in _BOX_TAGS or (element.tag in _LABELLED_TAGS and _BOX_LABEL.search(element.label)):
            inside[number] = True
            break
        number = element.parent
    inside |= dict.fromkeys(way, found := inside[number])
    return found


def _is_elsewhere(shown: Sequence[str], lines: Sequence[TextLine]) -> bool:
    """Tell whether the text is so little of the page that the library may find it in another place."""
    return sum(map(len, shown)) < MIN_COVERED * sum(len(line.text) - line.linked for line in lines)


def _is_scattered(placed: Sequence[PlacedLine], elements: Sequence[Element]) -> bool:
    """Tell whether a short text stands in several places, so that some of it may be none."""
    total = _count_characters(placed)
    if total >= MAX_DOUBTFUL_CHARACTERS:
        return False
    lines = [line for _, line in placed if line is not None]
    lengths = Counter[int]()
    for line in lines:
        lengths[elements[line.element].parent] += len(line.text)
    container = max(lengths, key=lengths.__getitem__, default=0)
    beside = sum(len(line.text) for line in lines if not _is_paragraph_of(container, line, elements))
    return beside > MAX_SCATTERED * total


def _is_paragraph_of(container: int, line: TextLine, elements: Sequence[Element]) -> bool:
    element = elements[line.element]
    around = elements[element.parent]
    if element.tag == "h1":
        return True
    return 2 * line.linked <= len(line.text) and (
        (element.tag in _PARAGRAPH_TAGS and element.parent == container)
        or (element.tag == "li" and around.parent == container)
        or (element.tag == "p" and around.tag in ("blockquote", "li"))
    )


def _count_characters(placed: Sequence[PlacedLine]) -> int:
    return sum(len(text) for text, _ in placed)


# The library's choice, line by line.


def _choose_with_library(shown: Sequence[str], blocks: PageBlocks, html: str) -> list[str]:
    """Return the lines that both readings hold.

    Where the library fails, has no text, or lost most of ours, ours stands. Where it read another place of the page,
    the page's lines in its text are the text.
    """
    ours = list(shown)
    peer_words = _split_words(_read_with_trafilatura(html))
    pairs = _pair_words(peer_words) | {(word,) for word in peer_words}
    headings = {line.text for line in blocks.lines if blocks.elements[line.element].tag == "h1"}
    shared = [line for line in ours if line in headings or _is_voted(line, pairs)]
    length, own_length = _count_words(shared), _count_words(ours)
    if length >= max(MIN_SHARED * min(own_length, len(peer_words)), MIN_KEPT * own_length, 1):
        return shared
    other = [
        line.text
        for line in blocks.lines
        if not blocks.elements[line.element].hidden
        and 2 * line.linked <= len(line.text)
        and _is_voted(line.text, pairs)
    ]
    return other if _count_words(other) >= max(MIN_KEPT * own_length, MIN_SHARED * len(peer_words), 1) else ours


def _read_with_trafilatura(html: str) -> str:
    import trafilatura  # takes .4 s and 36 MB, which most pages do not need

    tree = LexborHTMLParser(html)
    for element in tree.css(_NEVER_READ):
        element.decompose()
    # The quick reading: the fallbacks of the whole one cost twice the time and add nothing where two readers agree.
    try:
        return trafilatura.extract(tree.html or "", fast=True, include_comments=False, include_tables=True) or ""
    except Exception:  # noqa: BLE001  the text that we read ourselves is not lost for any fault of the library
        return ""


def _is_voted(line: str, pairs: WordPairs) -> bool:
    own = _pair_words(_split_words(line))
    return bool(own) and sum(pair in pairs for pair in own) >= MIN_VOTED_SHARE * len(own)


def _pair_words(words: Sequence[str]) -> WordPairs:
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((word,) for word in words)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _count_words(lines: Sequence[str]) -> int:
    return len(_split_words("\n".join(lines)))
