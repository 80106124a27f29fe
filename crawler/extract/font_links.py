"""Fonts at addresses of their own that a page whose font shows other characters is shown in. Runs in the child."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import base_of, canonical, linked
from crawler.extract.charset import decode, header_charset
from crawler.extract.fonts.fonts_in_markup import FACE, MOST
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page import extract

ADDRESS = re.compile(rb"url\(([^()]{1,2000})\)", re.IGNORECASE)
KINDS = (".woff2", ".woff", ".ttf", ".otf")  # what outlines are read from, the smallest first
MOST_STYLES = 4  # style sheets of a page that are looked through


@dataclass(frozen=True, slots=True)
class FontLinks:
    """Addresses of fonts; of style sheets that may name some, where the page itself names none."""

    fonts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


def font_links(body: bytes, headers: Sequence[tuple[str, str]], url: str) -> FontLinks:
    """The fonts that a page links to, if it reads as one whose font shows other characters."""
    if not extract(body, headers, url).lost:
        return FontLinks()
    tree = LexborHTMLParser(bounded(decode(body, header_charset(headers)).text).replace("\0", ""))
    base = base_of(tree, url)
    fonts = fonts_in(body, base)
    if fonts:
        return FontLinks(fonts)
    stated = [node.attributes.get("href") or "" for node in tree.css("link[rel~=stylesheet i][href]")]
    return FontLinks(styles=tuple(dict.fromkeys(_in_full(base, stated)))[:MOST_STYLES])


def fonts_in(style: bytes, base: str) -> tuple[str, ...]:
    """The fonts that a style sheet, or a page, links to: of each face the one that is smallest to fetch."""
    found: dict[str, None] = {}
    for face in FACE.findall(style):
        stated = [one.decode("utf-8", "replace").strip(" \t\r\n\"'") for one in ADDRESS.findall(face)]
        addresses = [one for one in _in_full(base, stated) if _kind(one) < len(KINDS)]
        if addresses:
            found[min(addresses, key=_kind)] = None
    return tuple(found)[:MOST]


def _kind(address: str) -> int:
    path = address.partition("?")[0].lower()
    return next((at for at, ending in enumerate(KINDS) if path.endswith(ending)), len(KINDS))


def _in_full(base: str, stated: Sequence[str]) -> Iterator[str]:
    for one in stated:
        try:
            address = canonical(linked(base, one))
        except ValueError:
            continue
        if address.startswith(("http://", "https://")):
            yield address
