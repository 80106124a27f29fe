"""Extract the links of a page. Sort lists of chapters into reading order."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from posixpath import splitext
from urllib.parse import urljoin, urlsplit

from w3lib.url import safe_url_string

from crawler.addresses import canonical_url, is_next_link, resolve_link
from crawler.extraction.chapters import CHAPTER_NUMBER, find_number
from crawler.extraction.documents.file_kinds import FILE_ENDINGS
from crawler.extraction.parsing import ParsedPage

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
