"""Lists of addresses that sites publish for machines: sitemaps, sitemap indexes, RSS and Atom feeds, robots.txt."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import lxml.etree
from scrapy.utils.sitemap import Sitemap, sitemap_urls_from_robots

GZIP = b"\x1f\x8b"
FEEDS = frozenset(("rss", "RDF", "feed"))
HEAD = 200  # bytes in which the outermost element of a list stands, behind comments and a document type
PROLOGUE = re.compile(rb"(?:\s+|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
SIGNS = (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF")
LISTING_TYPES = (
    "application/xml", "text/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml",
    "application/gzip", "application/x-gzip", "text/plain", "application/octet-stream", "",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Listing:
    """The addresses of pages and of further lists, as they are written there, the newest first where times are told."""

    pages: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()


def listing(body: bytes, url: str, longest: int) -> Listing | None:
    """What a list names, or None for what is no list; `longest` bounds the bytes that it is unpacked to.

    Formats: sitemaps.org 0.9, also in gzip; RSS 0.9 to 2.0; Atom (RFC 4287); the Sitemap lines of a robots.txt.
    """
    if urlsplit(url).path == "/robots.txt":
        return Listing(lists=tuple(sitemap_urls_from_robots(body, url)))
    if body.startswith(GZIP):
        body = _unpacked(body, longest)
    body = body.lstrip(b"\xef\xbb\xbf \t\r\n")  # where nothing may stand but often does
    head = _after_comments(body)
    if not any(sign in head for sign in SIGNS):
        return None
    try:
        sitemap = Sitemap(body)
        if sitemap.type in FEEDS:
            return Listing(pages=tuple(urljoin(url, link) for link in _feed_links(body)))
        entries = [(entry.get("lastmod", ""), urljoin(url, entry["loc"])) for entry in sitemap]
    except (lxml.etree.LxmlError, StopIteration, ValueError):
        return None
    addresses = tuple(address for _, address in sorted(entries, key=lambda entry: entry[0], reverse=True))
    return Listing(lists=addresses) if sitemap.type == "sitemapindex" else Listing(pages=addresses)


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


def _feed_links(body: bytes) -> Iterator[str]:
    """The address of every item of a feed."""
    parser = lxml.etree.XMLParser(recover=True, resolve_entities=False, no_network=True, remove_comments=True)
    root = lxml.etree.fromstring(body, parser)
    for item in root.iter("{*}item", "{*}entry"):
        for link in item.iterchildren("{*}link"):
            address = link.text or (link.get("href") if link.get("rel", "alternate") == "alternate" else None)
            if address and address.strip():
                yield address.strip()
                break
