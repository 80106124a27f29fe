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

# Texts that stand in a feed in full, while their pages hold the beginning alone, or are gone.
#
# RSS 2.0 with its content module, Atom (RFC 4287, 4.1.3), JSON Feed 1.1.


MIN_ITEM_CHARACTERS = 200  # characters of an item that is more than a summary
MAX_ITEM_CHARACTERS = 200_000  # characters of its markup
MAX_FEED_CHARACTERS = 2_000_000  # of all items of a feed together
MIN_CONTAINED_SHARE = 0.5  # share of an item's sentences from which on a page holds it
MIN_SENTENCE_CHARACTERS = 8  # characters of a sentence that says something
SENTENCE_END = re.compile(r"[。！？!?\n]+")
WHITESPACE = re.compile(r"\s+")
CONTENT_ELEMENTS = ("{http://purl.org/rss/1.0/modules/content/}encoded", "{*}content", "{*}description")


@dataclass(frozen=True, slots=True)
class FeedItem:
    """The text of one item as a page of its own, and what that page says."""

    page: str
    text: str

    @classmethod
    def of(cls, title: str, markup: str) -> Self | None:
        """None for what is shorter than a text, or longer than any."""
        if not MIN_ITEM_CHARACTERS <= len(markup) <= MAX_ITEM_CHARACTERS:
            return None
        text = LexborHTMLParser(markup.replace("\0", "")).text(separator="\n")
        if len(WHITESPACE.sub("", text)) < MIN_ITEM_CHARACTERS:
            return None
        head = f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{escape(title)}</title></head>"
        return cls(f"{head}<body><article><h1>{escape(title)}</h1>{markup}</article></body></html>", text)

    def stands_in(self, text: str) -> bool:
        """Whether a page that says this holds most of the item."""
        said = WHITESPACE.sub("", text)
        sentences = [
            one
            for part in SENTENCE_END.split(self.text)
            if len(one := WHITESPACE.sub("", part)) >= MIN_SENTENCE_CHARACTERS
        ]
        there = sum(len(sentence) for sentence in sentences if sentence in said)
        return there >= MIN_CONTAINED_SHARE * sum(map(len, sentences))


def feed_item_from_element(element: XmlElement) -> FeedItem | None:
    """The item of RSS or Atom, if it holds its text."""
    title = element.findtext("{*}title") or ""
    found = (one for name in CONTENT_ELEMENTS for one in element.iterchildren(name))
    return next((item for one in found if (item := FeedItem.of(title.strip(), _element_markup(one)))), None)


def feed_item_from_json(item: Mapping[str, Any]) -> FeedItem | None:
    """The item of a JSON feed, if it holds its text."""
    markup, text = item.get("content_html"), item.get("content_text")
    if not isinstance(markup, str) and isinstance(text, str):
        markup = "".join(f"<p>{escape(line)}</p>" for line in text.splitlines())
    return FeedItem.of(str(item.get("title") or ""), markup) if isinstance(markup, str) else None


def bound_items(items: Mapping[str, FeedItem | None]) -> dict[str, FeedItem]:
    """Those that hold a text, the first ones, as many as a crawl carries along."""
    full = {url: item for url, item in items.items() if item is not None}
    sizes = accumulate(len(item.page) for item in full.values())
    return {url: item for (url, item), size in zip(full.items(), sizes, strict=True) if size <= MAX_FEED_CHARACTERS}


def _element_markup(element: XmlElement) -> str:
    """What an element holds: markup written as text, or elements (Atom's xhtml)."""
    if len(element) == 0:
        return element.text or ""
    return "".join(lxml.etree.tostring(child, encoding="unicode", with_tail=True) for child in element)


# Lists of addresses that sites publish for machines: sitemaps, their indexes, RSS, Atom and JSON feeds, robots.txt.


GZIP_SIGNATURE = b"\x1f\x8b"
FEED_ROOTS = frozenset(("rss", "RDF", "feed"))
LIST_ROOT_BYTES = 200  # bytes in which the outermost element of a list stands, behind comments and a document type
XML_DECLARATION = re.compile(rb"\A<\?xml\s[^>]{0,200}\?>")  # it may name a charset that the list is not in
PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
BARE_AMPERSAND = re.compile(rb"&(?!\w{1,40};|#\d{1,7};|#x[0-9a-fA-F]{1,6};)")  # that begins no entity
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
    """The addresses of pages and of further lists, as they are written there, newest first where times are given; of a
    feed the items that hold their texts, by address.
    """

    pages: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    items: Mapping[str, FeedItem] = field(default_factory=dict)


def read_listing(body: bytes, url: str, longest: int) -> Listing | None:
    """What a list names, or None for what is no list; `longest` bounds the bytes that it is unpacked to.

    Formats: sitemaps.org 0.9, also as text and in gzip; RSS 0.9 to 2.0; Atom (RFC 4287); JSON Feed 1; the Sitemap lines
    of a robots.txt.
    """
    if urlsplit(url).path == "/robots.txt":
        return Listing(lists=tuple(_robots_sitemaps(body, url)))
    if body.startswith(GZIP_SIGNATURE):
        body = _gunzip(body, longest)
    body = XML_DECLARATION.sub(b"", decode_bytes(body).markup.lstrip(b"\xef\xbb\xbf \t\r\n"))
    head = _skip_prologue(body)
    if not any(sign in head for sign in LIST_SIGNATURES):
        return _read_json_feed(body, url) or _read_plain_list(body)
    from scrapy.utils.sitemap import Sitemap  # for sites that have one: it brings all of Scrapy along

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
    """The addresses that stand behind "Sitemap:", in full."""
    for line in body.split(b"\n"):
        name, _, address = line.partition(b":")
        with suppress(UnicodeDecodeError):
            if name.lstrip().lower() == b"sitemap" and (joined := _join_url(url, address.strip().decode())):
                yield joined


def _escape_ampersands(body: bytes) -> bytes:
    """With ampersands written as they should be: many sites put addresses into their lists as they are."""
    first, *rest = body.split(CDATA)
    parts = [BARE_AMPERSAND.sub(b"&amp;", first)]
    for part in rest:
        inside, end, after = part.partition(CDATA_END)
        parts += [CDATA, inside, end, BARE_AMPERSAND.sub(b"&amp;", after)]
    return b"".join(parts)


def _join_url(url: str, address: str) -> str:
    """The address in full; empty for what is none."""
    try:
        return urljoin(url, address)
    except ValueError:
        return ""


def _gunzip(body: bytes, longest: int) -> bytes:
    """Return as much of a gzip file, of all its members, as can be had within the limit."""
    content = b""
    with suppress(zlib.error):
        while body.startswith(GZIP_SIGNATURE) and len(content) < longest:
            member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
            content += member.decompress(body, longest - len(content))
            body = member.unused_data
    return content


def _skip_prologue(body: bytes) -> bytes:
    """The beginning behind comments and instructions, which some generators put there at length."""
    match = PROLOGUE.match(body)
    return body[match.end() : match.end() + LIST_ROOT_BYTES] if match else body[:LIST_ROOT_BYTES]


def _read_feed(body: bytes, url: str) -> Listing:
    items = [(address, item) for address, item in _iter_feed_items(body, url) if address]
    return Listing(pages=tuple(address for address, _ in items), items=bound_items(dict(items)))


def _iter_feed_items(body: bytes, url: str) -> Iterator[tuple[str, FeedItem | None]]:
    """The address of every item of a feed: its link, or in RSS the guid that stands for one; and its text."""
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
        found = [(_join_url(url, link), feed_item_from_json(item)) for link, item in links if isinstance(link, str)]
        named = [(address, item) for address, item in found if address]
        return Listing(pages=tuple(address for address, _ in named), items=bound_items(dict(named)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _read_plain_list(body: bytes) -> Listing | None:
    """A sitemap that is a text of one address a line, and of nothing else."""
    if not body.startswith((b"http://", b"https://")):
        return None
    lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()]
    addresses = tuple(filter(None, lines))
    whole = all(line.startswith(("http://", "https://")) and " " not in line for line in addresses)
    return Listing(pages=addresses) if whole else None
