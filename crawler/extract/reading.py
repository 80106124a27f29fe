"""A response as a parsed page, for what is decided while crawling; parsed once, and by the quicker of the parsers."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from posixpath import splitext
from urllib.parse import urljoin, urlsplit

from scrapy.http import Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from selectolax.lexbor import LexborHTMLParser
from w3lib.url import safe_url_string

from crawler.crawl.addresses import base_of, canonical, linked
from crawler.evidence.capture import header_charset, rendered_page
from crawler.extract.bounded import bounded
from crawler.extract.charset import decode

MOST_LINKS = 10_000  # the longest novels have half as many chapters
LONGEST_READ = 2 << 20  # bytes: a longer page is a text or a trap, and parsing it would hold up all others
NOT_PAGES = ("css", "js", "json", "xml", "rss", "atom", "txt", "woff", "woff2")
NO_PAGES = frozenset(f".{ending}" for ending in (*IGNORED_EXTENSIONS, *NOT_PAGES))


@dataclass
class ReadPage:
    """A page's markup, and what a crawl wants to know of it."""

    url: str
    text: str
    charset: str

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The page, parsed."""
        return LexborHTMLParser(bounded(self.text).replace("\0", ""))

    @cached_property
    def base(self) -> str:
        """What addresses in the page are relative to."""
        return base_of(self.tree, self.url)


def readable(response: Response) -> ReadPage:
    """The page in its true charset, bounded in length."""
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    decoded = decode(response.body[:LONGEST_READ], header_charset([("content-type", content_type)]))
    return ReadPage(response.url, decoded.text, decoded.charset)


def shown(response: Response) -> ReadPage:
    """The page as visitors see it: what a browser made of it, where one was asked, else what was sent."""
    rendered = rendered_page(response)
    if rendered is None:
        return readable(response)
    return ReadPage(response.url, rendered[:LONGEST_READ].decode("utf-8", "replace"), "utf-8")


def links_of(page: ReadPage) -> Iterator[tuple[str, str]]:
    """Canonical addresses that the page links to or frames, each once, with the words of the link.

    Only the first MOST_LINKS links are looked at: to look at each takes time in which nothing else is done.
    """
    seen: set[str] = set()
    for node in page.tree.css("a[href], area[href], iframe[src], frame[src]")[:MOST_LINKS]:
        attributes = node.attributes
        target = (attributes.get("href") or attributes.get("src") or "").strip()
        try:
            url = linked(page.base, target)
            if not url.isascii() or " " in url:
                url = safe_url_string(url, encoding=page.charset)
            is_page = splitext(urlsplit(url).path)[1].lower() not in NO_PAGES
        except ValueError:
            continue
        url = canonical(url)
        if is_page and url not in seen and url.startswith(("http://", "https://")):
            seen.add(url)
            yield url, node.text(deep=True) or ""


def canonical_link(page: ReadPage) -> str | None:
    """The address that the page calls its own (RFC 6596), in full."""
    stated = page.tree.css_first("link[rel=canonical][href]")
    address = (stated.attributes.get("href") or "").strip() if stated else ""
    try:
        return urljoin(page.base, address) if address else None
    except ValueError:
        return None


def all_text(page: ReadPage) -> str:
    """Everything that stands in the page but scripts and styles, which are taken out of its tree."""
    page.tree.strip_tags(["script", "style"])
    root = page.tree.root
    return (root.text(deep=True) or "") if root else ""
