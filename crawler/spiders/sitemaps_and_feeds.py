"""Read sitemaps, feeds and the full texts in feed items."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from typing import Any, Self, TypeAlias
from urllib.parse import urljoin, urlsplit

import lxml.etree
from selectolax.lexbor import LexborHTMLParser

from crawler.extraction.charset import decode_bytes

XmlElement: TypeAlias = Any  # lxml's class of elements has a private name

# Full texts in feeds, whose pages hold only the beginning or are gone.
#
# RSS 2.0 with its content module, Atom (RFC 4287, 4.1.3), JSON Feed 1.1.


MIN_ITEM_CHARACTERS = 200  # characters of an item beyond a summary
MAX_ITEM_CHARACTERS = 200_000  # characters of the markup of an item
MAX_FEED_CHARACTERS = 2_000_000  # characters of all items of a feed
MIN_CONTAINED_SHARE = 0.5  # share of an item's sentences: such a page holds the item
MIN_SENTENCE_CHARACTERS = 8  # characters of a meaningful sentence
SENTENCE_END = re.compile(r"[。！？!?\n]+")
WHITESPACE = re.compile(r"\s+")
CONTENT_ELEMENTS = ("{http://purl.org/rss/1.0/modules/content/}encoded", "{*}content", "{*}description")


@dataclass(frozen=True, slots=True)
class FeedItem:
    """The text of an item, and a page made of it."""

    page: str
    text: str

    @classmethod
    def of(cls, title: str, markup: str) -> Self | None:
        """Return the item, or None if it is shorter than a text or longer than any."""
        if not MIN_ITEM_CHARACTERS <= len(markup) <= MAX_ITEM_CHARACTERS:
            return None
        text = LexborHTMLParser(markup.replace("\0", "")).text(separator="\n")
        if len(WHITESPACE.sub("", text)) < MIN_ITEM_CHARACTERS:
            return None
        return cls(make_article(title, markup), text)

    def stands_in(self, text: str) -> bool:
        """Return whether a page with this text holds most of the item."""
        letters = WHITESPACE.sub("", text)
        sentences = [
            sentence
            for part in SENTENCE_END.split(self.text)
            if len(sentence := WHITESPACE.sub("", part)) >= MIN_SENTENCE_CHARACTERS
        ]
        present = sum(len(sentence) for sentence in sentences if sentence in letters)
        return present >= MIN_CONTAINED_SHARE * sum(map(len, sentences))


def make_article(title: str, markup: str) -> str:
    """Return a page that holds an article and nothing else."""
    head = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{escape(title)}</title></head>"
    return f"{head}<body><article><h1>{escape(title)}</h1>{markup}</article></body></html>"


def paragraphs(text: str) -> str:
    """Return the markup of a plain text, a paragraph for each line."""
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())


def feed_item_from_element(element: XmlElement) -> FeedItem | None:
    """Return the item of RSS or Atom if it holds its text."""
    title = element.findtext("{*}title") or ""
    contents = (content for name in CONTENT_ELEMENTS for content in element.iterchildren(name))
    return next((item for content in contents if (item := FeedItem.of(title.strip(), _element_markup(content)))), None)


def feed_item_from_json(item: Mapping[str, Any]) -> FeedItem | None:
    """Return the item of a JSON feed if it holds its text."""
    markup, text = item.get("content_html"), item.get("content_text")
    if not isinstance(markup, str) and isinstance(text, str):
        markup = paragraphs(text)
    return FeedItem.of(str(item.get("title") or ""), markup) if isinstance(markup, str) else None


def bound_items(items: Mapping[str, FeedItem | None]) -> dict[str, FeedItem]:
    """Return the first items with a text, as many as a crawl carries along."""
    full = {url: item for url, item in items.items() if item is not None}
    sizes = accumulate(len(item.page) for item in full.values())
    return {url: item for (url, item), size in zip(full.items(), sizes, strict=True) if size <= MAX_FEED_CHARACTERS}


def _element_markup(element: XmlElement) -> str:
    """Return the markup in an element, written as text or as elements (Atom's xhtml)."""
    if len(element) == 0:
        return element.text or ""
    return "".join(lxml.etree.tostring(child, encoding="unicode", with_tail=True) for child in element)


# Listings for machines: sitemaps, their indexes, RSS, Atom and JSON feeds, robots.txt.


GZIP_SIGNATURE = b"\x1f\x8b"
FEED_ROOTS = frozenset(("rss", "RDF", "feed"))
LIST_ROOT_BYTES = 200  # bytes with the outermost element, behind comments and document type
XML_DECLARATION = re.compile(rb"\A<\?xml\s[^>]{0,200}\?>")  # it may name a wrong charset
PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
BARE_AMPERSAND = re.compile(rb"&(?!\w{1,40};|#\d{1,7};|#x[0-9a-fA-F]{1,6};)")  # an ampersand that begins no entity
CDATA, CDATA_END = b"<![CDATA[", b"]]>"
LIST_SIGNATURES = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF")
JSON_FEED_SIGNATURE = b"jsonfeed.org/version/1"
LISTING_TYPES = (
    "application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml",
    "application/feed+json", "application/json",
    "application/gzip", "application/x-gzip", "text/plain", "application/octet-stream", "",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listing:
    """The addresses of pages and further listings, as written, newest first if dated. Items of a feed with full texts
    are keyed by address.
    """

    pages: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    items: Mapping[str, FeedItem] = field(default_factory=dict)


def read_listing(body: bytes, url: str, longest: int) -> Listing | None:
    """Return the listing in a response, or None. `longest` bounds the unpacked bytes.

    Formats: sitemaps.org 0.9, also as text and in gzip, RSS 0.9 to 2.0, Atom (RFC 4287), JSON Feed 1, and the Sitemap
    lines of a robots.txt.
    """
    if urlsplit(url).path == "/robots.txt":
        return Listing(lists=tuple(_robots_sitemaps(body, url)))
    if body.startswith(GZIP_SIGNATURE):
        body = _gunzip(body, longest)
    body = XML_DECLARATION.sub(b"", decode_bytes(body).markup.lstrip(b"\xef\xbb\xbf \t\r\n"))
    head = _skip_prologue(body)
    if not any(sign in head for sign in LIST_SIGNATURES):
        return _read_json_feed(body, url) or _read_plain_list(body)
    from scrapy.utils.sitemap import Sitemap  # imported late, because it loads all of Scrapy

    body = _escape_ampersands(body)
    try:
        sitemap = Sitemap(body)
        if sitemap.type in FEED_ROOTS:
            return _read_feed(body, url)
        entries = [(entry.get("lastmod", ""), _join_url(url, entry["loc"])) for entry in sitemap]
    except (lxml.etree.LxmlError, StopIteration, ValueError):
        return None
    newest = sorted(entries, key=lambda entry: entry[0], reverse=True)
    addresses = tuple(address for _, address in newest if address)
    return Listing(lists=addresses) if sitemap.type == "sitemapindex" else Listing(pages=addresses)


def _robots_sitemaps(body: bytes, url: str) -> Iterator[str]:
    """Yield the full addresses behind "Sitemap:"."""
    for line in body.split(b"\n"):
        name, _, address = line.partition(b":")
        with suppress(UnicodeDecodeError):
            if name.lstrip().lower() == b"sitemap" and (joined := _join_url(url, address.strip().decode())):
                yield joined


def _escape_ampersands(body: bytes) -> bytes:
    """Return the body with escaped ampersands, because many sites write raw addresses into their listings."""
    first, *rest = body.split(CDATA)
    parts = [BARE_AMPERSAND.sub(b"&amp;", first)]
    for part in rest:
        inside, end, after = part.partition(CDATA_END)
        parts += [CDATA, inside, end, BARE_AMPERSAND.sub(b"&amp;", after)]
    return b"".join(parts)


def _join_url(url: str, address: str) -> str:
    """Return the full address, or an empty string for an invalid one."""
    try:
        return urljoin(url, address)
    except ValueError:
        return ""


def _gunzip(body: bytes, longest: int) -> bytes:
    """Return the readable content of all gzip members within the limit."""
    content = b""
    with suppress(zlib.error):
        while body.startswith(GZIP_SIGNATURE) and len(content) < longest:
            member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            content += member.decompress(body, longest - len(content))
            body = member.unused_data
    return content


def _skip_prologue(body: bytes) -> bytes:
    """Return the beginning behind comments and instructions, which some generators write at length."""
    match = PROLOGUE.match(body)
    return body[match.end() : match.end() + LIST_ROOT_BYTES] if match else body[:LIST_ROOT_BYTES]


def _read_feed(body: bytes, url: str) -> Listing:
    items = [(address, item) for address, item in _iter_feed_items(body, url) if address]
    return Listing(pages=tuple(address for address, _ in items), items=bound_items(dict(items)))


def _iter_feed_items(body: bytes, url: str) -> Iterator[tuple[str, FeedItem | None]]:
    """Yield the address and text of every item of a feed. The address is its link, or in RSS the permalink guid."""
    parser = lxml.etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True)
    root = lxml.etree.fromstring(body, parser)
    for item in root.iter("{*}item", "{*}entry"):
        for link in (*item.iterchildren("{*}link"), *item.iterchildren("{*}guid")):
            if address := _item_address(link):
                yield _join_url(_join_url(url, link.base or ""), address), feed_item_from_element(item)
                break


def _item_address(link: XmlElement) -> str:
    text = (link.text or "").strip()
    if lxml.etree.QName(link).localname == "guid":
        stands_for_one = link.get("isPermaLink", "true") == "true" and text.startswith(("http://", "https://"))
        return text if stands_for_one else ""
    return text or (link.get("href", "").strip() if link.get("rel", "alternate") == "alternate" else "")


def _read_json_feed(body: bytes, url: str) -> Listing | None:
    if not body.startswith(b"{") or JSON_FEED_SIGNATURE not in body:
        return None
    try:
        items = json.loads(body)["items"]
        links = [(item.get("url") or item.get("external_url"), item) for item in items]
        addressed = [(_join_url(url, link), feed_item_from_json(item)) for link, item in links if isinstance(link, str)]
        named = [(address, item) for address, item in addressed if address]
        return Listing(pages=tuple(address for address, _ in named), items=bound_items(dict(named)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _read_plain_list(body: bytes) -> Listing | None:
    """Return the listing of a text sitemap: one address a line, and nothing else."""
    if not body.startswith((b"http://", b"https://")):
        return None
    lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()]
    addresses = tuple(filter(None, lines))
    whole = all(line.startswith(("http://", "https://")) and " " not in line for line in addresses)
    return Listing(pages=addresses) if whole else None
