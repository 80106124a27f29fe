"""Extract the links of a page, and its place in a novel or a thread: chapter number, previous page, next page."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from posixpath import splitext
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser
from w3lib.url import safe_url_string

from crawler.addresses import canonical_url, is_next_link, resolve_link
from crawler.extraction.documents.file_kinds import FILE_ENDINGS
from crawler.extraction.model import ChapterPlace
from crawler.extraction.page_lines import TextLine
from crawler.extraction.parsing import ParsedPage

CHINESE_DIGITS = "零一二三四五六七八九"
NUMERAL = r"([0-9０-９]{1,6}|[〇零一二两兩三四五六七八九十百千]{1,9})"
CHAPTER_NUMBER = re.compile(rf"第\s*{NUMERAL}\s*[章节節回集話话]")
VOLUME_NUMBER = re.compile(rf"第\s*{NUMERAL}\s*[卷部册冊]")


def find_number(pattern: re.Pattern[str], title: str) -> int | None:
    """Return the number of a chapter or volume in a title.

    >>> find_number(CHAPTER_NUMBER, "第二卷 第一百零五章 雨"), find_number(VOLUME_NUMBER, "第二卷 第一百零五章 雨")
    (105, 2)
    """
    match = pattern.search(title)
    return _numeral_value(match[1]) if match else None


def _numeral_value(numeral: str) -> int:
    if numeral.isdecimal():
        return int(numeral)
    total = digit = 0
    for character in numeral.replace("两", "二").replace("兩", "二").replace("〇", "零"):
        if character in CHINESE_DIGITS:
            digit = (
                digit * 10 + CHINESE_DIGITS.index(character)
                if digit and total == 0
                else CHINESE_DIGITS.index(character)
            )
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[character]
            digit = 0
    return total + digit


# Addresses of the pages of a thread, in the formats of common forum programs.
#
# They number pages or posts within the address. The first page has a different form.


_THREAD_URL = re.compile(r"thread|topic|(?<![a-z])tid[=-]|/(?:t|d|p|read)/|read\.php")
# The number of a page (from 1) or of its first post (from 0). An address without it is the first page.
_PAGE_URL_SHAPES = (
    re.compile(r"thread-\d+(?P<cut>-(?P<number>\d{1,5})-\d+)(?=\.html?$|$)"),  # Discuz!
    re.compile(r"(?:thread|tid)-\d+(?P<cut>-page-(?P<number>\d{1,5}))(?=\.html?$)"),  # MyBB, phpwind
    re.compile(r"(?P<cut>/page-?(?P<number>\d{1,5}))/?$"),  # XenForo, vBulletin
    re.compile(r"[?&](?P<cut>(?:page|pn)=(?P<number>\d{1,5})(?:&|$))"),
)
_POST_URL_SHAPES = (
    re.compile(r"[?&](?P<cut>start=(?P<number>\d{1,7})(?:&|$))"),  # phpBB, Douban
    re.compile(r"[?&]topic=\d+(?P<cut>\.(?P<number>\d{1,7}))(?![^&])"),  # SMF
)


def is_thread_url(url: str) -> bool:
    """Tell whether an address may belong to a thread.

    >>> is_thread_url("http://bbs.test/thread-7-1-1.html"), is_thread_url("http://a.test/news/7.html")
    (True, False)
    """
    return _THREAD_URL.search(url) is not None


def is_neighbour_page(url: str, other: str, step: int) -> bool:
    """Tell whether `other` is the page before `url` (step -1) or after it (1) in a thread. Both are canonical.

    >>> is_neighbour_page("http://bbs.test/thread-7-1-1.html", "http://bbs.test/thread-7-2-1.html", 1)
    True
    >>> is_neighbour_page("http://bbs.test/viewtopic.php?t=7", "http://bbs.test/viewtopic.php?t=7&start=25", 1)
    True
    >>> is_neighbour_page("http://bbs.test/thread-7-1-1.html", "http://bbs.test/thread-8-1-1.html", 1)
    False
    """
    if not (is_thread_url(url) and is_thread_url(other)):
        return False
    by_page = any(_page_distance(shape, url, other, first=1) == step for shape in _PAGE_URL_SHAPES)
    return by_page or any(step * _page_distance(shape, url, other, first=0) > 0 for shape in _POST_URL_SHAPES)


def _page_distance(shape: re.Pattern[str], url: str, other: str, *, first: int) -> int:
    """Return the difference of two page numbers, 0 for different threads. first: the number of the first page."""
    number, other_number = _split_thread_number(shape, url, first), _split_thread_number(shape, other, first)
    return other_number[1] - number[1] if number[0] == other_number[0] else 0


def _split_thread_number(shape: re.Pattern[str], url: str, first: int) -> tuple[str, int]:
    """Return the address without its number, and the number."""
    match = shape.search(url)
    if match is None:
        return url.rstrip("/?&"), first
    return (url[: match.start("cut")] + url[match.end("cut") :]).rstrip("/?&"), int(match["number"])


# A page's place in a longer text: its previous and next page, and whether they belong to the same chapter.
#
# Sites use the same words for links to the next page of a chapter and to the next chapter. So the address decides: the
# pages of one chapter are /12/345.html, /12/345_2.html, /12/345_3.html, or count up in a parameter.


NEIGHBOUR_LINK_WORDS = re.compile(r"[上下前后後]一?\s*[页頁章节節篇回]")
LINK_EDGES = r"[\s\[【（(<《«←→»》>）)】\]：:,，-]*"
PREVIOUS_LINK = re.compile(rf"{LINK_EDGES}[上前]一?\s*([页頁章节節篇回]){LINK_EDGES}")
NEXT_LINK = re.compile(rf"{LINK_EDGES}[下后後]一?\s*([页頁章节節篇回]){LINK_EDGES}")
CHAPTER_UNITS = "章節节回"
NUMBERED_URL = re.compile(
    r"(?P<stem>.*?)(?:[_-](?P<a>\d{1,3})|/(?P<b>\d{1,2})(?=/?$)|[?&](?:p|page|pn|pageno|page_no)=(?P<c>\d{1,3}))?"
    r"(?P<end>\.[a-z]{3,5})?/?$"
)
THREAD_LINKS = (("next", 1, "[rel~=next i][href]"), ("previous", -1, "[rel~=prev i][href], [rel~=previous i][href]"))
MAX_TYPED_LINKS = 20  # links of such a type
MAX_LINK_CHARACTERS = 24  # characters of the text of a link to a neighbouring page


def find_chapter_place(
    lines: Sequence[TextLine], tree: LexborHTMLParser, title: str | None, url: str, base: str = ""
) -> ChapterPlace:
    """Read a page's place from its title and its links. Without `url` only the numbers are known.

    base: the address that relative links refer to.
    """
    chapter = find_number(CHAPTER_NUMBER, title or "")
    volume = find_number(VOLUME_NUMBER, title or "")
    neighbours: dict[str, str] = {}
    novel = False
    if any(line.linked and NEIGHBOUR_LINK_WORDS.search(line.text) for line in lines):
        for text, target in _short_links(tree):
            direction, unit = _link_direction(text)
            if direction is None:
                continue
            novel = novel or unit in CHAPTER_UNITS
            address = _resolve_address(base or url, target) if url else ""
            if address.startswith(("http://", "https://")) and address != canonical_url(url):
                step = 1 if direction == "next" else -1
                of_page = _is_neighbour_url(url, address, step, of_chapter=unit in CHAPTER_UNITS) or (
                    unit not in CHAPTER_UNITS and is_neighbour_page(canonical_url(url), address, step)
                )
                neighbours.setdefault(f"{direction}_{'page' if of_page else 'chapter'}", address)
    if is_thread_url(url):
        neighbours = _thread_neighbours(tree, url, base or url) | neighbours
    return ChapterPlace(
        chapter=chapter, volume=volume, novel=novel or (chapter is not None and bool(neighbours)), **neighbours
    )


def _thread_neighbours(tree: LexborHTMLParser, url: str, base: str) -> dict[str, str]:
    """Return the neighbours of a thread's page by the link types (HTML Standard, 4.6.7)."""
    neighbours: dict[str, str] = {}
    for direction, step, selector in THREAD_LINKS:
        targets = (node.attributes.get("href") or "" for node in tree.css(selector)[:MAX_TYPED_LINKS])
        addresses = (_resolve_address(base, target) for target in targets)
        if beside := next(
            (address for address in addresses if is_neighbour_page(canonical_url(url), address, step)), None
        ):
            neighbours[f"{direction}_page"] = beside
    return neighbours


def _short_links(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    for node in tree.css("a[href]"):
        target = node.attributes.get("href") or ""
        if target and not target.startswith(("#", "javascript:")):
            text = node.text(deep=True) or ""
            if len(text) <= MAX_LINK_CHARACTERS:
                yield text, target


def _resolve_address(base: str, target: str) -> str:
    try:
        return canonical_url(resolve_link(base, target))
    except ValueError:
        return ""


def _link_direction(text: str) -> tuple[str | None, str]:
    """Return the direction, next or previous, and the word for its target: a page or a chapter."""
    if match := NEXT_LINK.fullmatch(text):
        return "next", match[1]
    if match := PREVIOUS_LINK.fullmatch(text):
        return "previous", match[1]
    return None, ""


def _is_neighbour_url(url: str, other: str, step: int, *, of_chapter: bool) -> bool:
    """Tell whether two addresses are neighbouring pages of one text, by their numbers.

    /345.html and /345_2.html are. /12-1.html and /12-2.html may be two chapters, and are neighbours if the link says
    so.
    """
    number, other_number = _split_page_number(canonical_url(url)), _split_page_number(other)
    if number is None or other_number is None or number[0] != other_number[0] or other_number[1] - number[1] != step:
        return False
    return not of_chapter or not (number[2] and other_number[2]) or min(number[1], other_number[1]) > 1


def _split_page_number(address: str) -> tuple[str, int, bool] | None:
    """Split an address into the rest and its page number. Return both, and whether the number was written (or 1
    implied).
    """
    match = NUMBERED_URL.fullmatch(address)
    if match is None:
        return None
    number = match["a"] or match["b"] or match["c"]
    return match["stem"] + (match["end"] or ""), int(number or 1), number is not None


# Includes links to the next page and to the page in another Chinese script, which may be invisible to readers.
LINK_SELECTOR = (
    "a[href], area[href], iframe[src], frame[src], link[rel~=next i][href], "
    "link[rel~=alternate i][hreflang^=zh i][href], select option[value]"
)
# The value of an option, if a script opens the address that a reader selects.
OPTION_ADDRESS = re.compile(
    r"(?:https?:)?//\S+|\.{0,2}/[\w%~!+,@-][^\s<>]*|\?[\w-]+=\S+|"
    r"[\w%~-][\w%~/.-]{0,300}\.(?:[sx]?html?|php|aspx?|jspx?|do|cgi)(?:\?\S*)?(?:#\S*)?",
    re.IGNORECASE,
)
NEXT_LINK_WORDS = "next"  # the words of a link with this type (HTML Standard, 4.6.7), whatever it shows
MAX_PAGE_LINKS = 10_000  # the longest novels have half as many chapters
# Endings that Scrapy's own extractor skips, and page resources. They are listed here because importing Scrapy takes
# longer than reading most pages, and the child process needs nothing else of it.
NON_PAGE_ENDINGS = frozenset(
    f".{ending}"
    for ending in (
        *("7z", "7zip", "bz2", "rar", "tar", "xz", "zip"),
        *("ai", "bmp", "cdr", "drw", "dxf", "eps", "gif", "ico", "jpeg", "jpg", "mng", "pct", "png", "ps", "psp"),
        *("pst", "svg", "tif", "tiff", "webp"),
        *("aac", "aiff", "au", "m4a", "mid", "mp3", "ogg", "ra", "wav", "wma"),
        *("3gp", "asf", "asx", "avi", "flv", "m4v", "mov", "mp4", "mpg", "qt", "rm", "swf", "webm", "wmv"),
        *("doc", "docb", "docm", "docx", "dotm", "dotx", "odg", "odp", "ods", "odt", "pdf", "potm", "potx", "pps"),
        *("ppt", "pptm", "pptx", "xls", "xlsm", "xlsx", "xltm", "xltx"),
        *("apk", "bat", "bin", "cpl", "dmg", "exe", "hta", "iso", "jar", "msi", "msp", "py", "rb", "sh"),
        *("atom", "css", "js", "json", "rss", "woff", "woff2", "xml"),
    )
) - frozenset(FILE_ENDINGS)


def extract_links(page: ParsedPage) -> Iterator[tuple[str, str]]:
    """Yield the canonical addresses that the page links to or frames, each once, with the link text.

    For several links to one address the first text counts, unless another one is labelled as the next page: a pager
    also links to that page by its number. Only the first MAX_PAGE_LINKS links are examined, because each costs time
    that blocks all other work.
    """
    words_by_url: dict[str, str] = {}
    for node in page.tree.css(LINK_SELECTOR)[:MAX_PAGE_LINKS]:
        attributes = node.attributes
        target = (attributes.get("href") or attributes.get("src") or "").strip()
        if node.tag == "option":
            target = (attributes.get("value") or "").strip()
            if not OPTION_ADDRESS.fullmatch(target):
                continue
        try:
            url = resolve_link(page.base, target)
            if not url.isascii() or " " in url:
                url = safe_url_string(url, encoding=page.charset)
            is_page = _url_ending(url) not in NON_PAGE_ENDINGS
        except ValueError:
            continue
        url = canonical_url(url)
        if is_page and url.startswith(("http://", "https://")):
            words = (
                NEXT_LINK_WORDS
                if "next" in (attributes.get("rel") or "").lower().split()
                else node.text(deep=True) or ""
            )
            if url not in words_by_url or is_next_link(words):
                words_by_url[url] = words
    yield from words_by_url.items()


def _url_ending(url: str) -> str:
    """Return the extension of an address's path in lower case, such as ``.zip``."""
    path = (
        urlsplit(url).path if "#" in url or ";" in url else url.partition("?")[0].partition("://")[2].partition("/")[2]
    )
    return splitext(path)[1].lower()


def canonical_link(page: ParsedPage) -> str | None:
    """Return the page's canonical link (RFC 6596) as an absolute address."""
    stated = page.tree.css_first("link[rel=canonical][href]")
    address = (stated.attributes.get("href") or "").strip() if stated else ""
    try:
        return urljoin(page.base, address) if address else None
    except ValueError:
        return None


MIN_LISTED_CHAPTERS = 10  # links of a page that is a list of chapters


def sort_in_reading_order(links: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the links of a page, addresses and texts, with chapter lists in reading order.

    Such lists begin with the newest chapters, or are reversed altogether. If numbers repeat because each volume
    restarts them, a list is reversed as a whole or stays unchanged.
    """
    by_link = [find_number(CHAPTER_NUMBER, words) for _, words in links]
    places = [(place, number) for place, number in enumerate(by_link) if number is not None]
    if len(places) < MIN_LISTED_CHAPTERS:
        return list(links)
    numbers = [number for _, number in places]
    order = list(places)
    if len(set(numbers)) == len(numbers):
        order.sort(key=lambda entry: entry[1])
    elif sum(a > b for a, b in pairwise(numbers)) > len(numbers) / 2:
        order.reverse()
    turned = list(links)
    for (place, _), (origin, _) in zip(places, order, strict=True):
        turned[place] = links[origin]
    return turned
