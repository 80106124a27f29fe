"""Lists of addresses that sites publish for machines: sitemaps, their indexes, RSS, Atom and JSON feeds, robots.txt."""

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import lxml.etree

from crawler.spiders.feed_items import FeedItem, item_of_element, item_of_json, within

GZIP = b"\x1f\x8b"
FEEDS = frozenset(("rss", "RDF", "feed"))
HEAD = 200  # bytes in which the outermost element of a list stands, behind comments and a document type
PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
AMPERSAND = re.compile(rb"&(?!\w{1,40};|#\d{1,7};|#x[0-9a-fA-F]{1,6};)")  # that begins no entity
CDATA, CDATA_END = b"<![CDATA[", b"]]>"
SIGNS = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF")
JSON_FEED = b"jsonfeed.org/version/1"
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


def listing(body: bytes, url: str, longest: int) -> Listing | None:
    """What a list names, or None for what is no list; `longest` bounds the bytes that it is unpacked to.

    Formats: sitemaps.org 0.9, also as text and in gzip; RSS 0.9 to 2.0; Atom (RFC 4287); JSON Feed 1; the Sitemap lines
    of a robots.txt.
    """
    if urlsplit(url).path == "/robots.txt":
        return Listing(lists=tuple(_of_robots(body, url)))
    if body.startswith(GZIP):
        body = _unpacked(body, longest)
    body = body.lstrip(b"\xef\xbb\xbf \t\r\n")  # where nothing may stand but often does
    head = _after_comments(body)
    if not any(sign in head for sign in SIGNS):
        return _json_feed(body, url) or _plain_list(body)
    from scrapy.utils.sitemap import Sitemap  # for sites that have one: it brings all of Scrapy along

    body = _escaped(body)
    try:
        sitemap = Sitemap(body)
        if sitemap.type in FEEDS:
            return _feed(body, url)
        entries = [(entry.get("lastmod", ""), _joined(url, entry["loc"])) for entry in sitemap]
    except (lxml.etree.LxmlError, StopIteration, ValueError):
        return None
    newest = sorted(entries, key=lambda entry: entry[0], reverse=True)
    addresses = tuple(address for _, address in newest if address)
    return Listing(lists=addresses) if sitemap.type == "sitemapindex" else Listing(pages=addresses)


def _of_robots(body: bytes, url: str) -> Iterator[str]:
    """The addresses that stand behind "Sitemap:", in full."""
    for line in body.split(b"\n"):
        name, _, address = line.partition(b":")
        with suppress(UnicodeDecodeError):
            if name.lstrip().lower() == b"sitemap" and (joined := _joined(url, address.strip().decode())):
                yield joined


def _escaped(body: bytes) -> bytes:
    """With ampersands written as they should be: many sites put addresses into their lists as they are."""
    first, *rest = body.split(CDATA)
    parts = [AMPERSAND.sub(b"&amp;", first)]
    for part in rest:
        inside, end, after = part.partition(CDATA_END)
        parts += [CDATA, inside, end, AMPERSAND.sub(b"&amp;", after)]
    return b"".join(parts)


def _joined(url: str, address: str) -> str:
    """The address in full; empty for what is none."""
    try:
        return urljoin(url, address)
    except ValueError:
        return ""


def _unpacked(body: bytes, longest: int) -> bytes:
    """As much of a gzip file as can be had within the limit."""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(body, longest)
    except zlib.error:
        return b""


def _after_comments(body: bytes) -> bytes:
    """The beginning behind comments and instructions, which some generators put there at length."""
    found = PROLOGUE.match(body)
    return body[found.end() : found.end() + HEAD] if found else body[:HEAD]


def _feed(body: bytes, url: str) -> Listing:
    items = [(address, item) for address, item in _feed_items(body, url) if address]
    return Listing(pages=tuple(address for address, _ in items), items=within(dict(items)))


def _feed_items(body: bytes, url: str) -> Iterator[tuple[str, FeedItem | None]]:
    """The address of every item of a feed: its link, or in RSS the guid that stands for one; and its text."""
    parser = lxml.etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True)
    root = lxml.etree.fromstring(body, parser)
    for item in root.iter("{*}item", "{*}entry"):
        for link in (*item.iterchildren("{*}link"), *item.iterchildren("{*}guid")):
            if address := _address_in(link):
                yield _joined(_joined(url, link.base or ""), address), item_of_element(item)
                break


def _address_in(link: lxml.etree._Element) -> str:
    text = (link.text or "").strip()
    if lxml.etree.QName(link).localname == "guid":
        stands_for_one = link.get("isPermaLink", "true") == "true" and text.startswith(("http://", "https://"))
        return text if stands_for_one else ""
    return text or (link.get("href", "").strip() if link.get("rel", "alternate") == "alternate" else "")


def _json_feed(body: bytes, url: str) -> Listing | None:
    if not body.startswith(b"{") or JSON_FEED not in body:
        return None
    try:
        items = json.loads(body)["items"]
        links = [(item.get("url") or item.get("external_url"), item) for item in items]
        found = [(_joined(url, link), item_of_json(item)) for link, item in links if isinstance(link, str)]
        named = [(address, item) for address, item in found if address]
        return Listing(pages=tuple(address for address, _ in named), items=within(dict(named)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _plain_list(body: bytes) -> Listing | None:
    """A sitemap that is a text of one address a line, and of nothing else."""
    if not body.startswith((b"http://", b"https://")):
        return None
    lines = [line.strip() for line in body.decode("utf-8", "replace").splitlines()]
    addresses = tuple(filter(None, lines))
    whole = all(line.startswith(("http://", "https://")) and " " not in line for line in addresses)
    return Listing(pages=addresses) if whole else None
