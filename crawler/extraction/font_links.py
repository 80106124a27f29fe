"""Find the font files that an obfuscated page links to. Runs in the child process."""

import re
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import canonical_url, find_base_url, resolve_link
from crawler.extraction.charset import decode_bytes, header_charset
from crawler.extraction.fonts.detection import FONT_FACE, MAX_PAGE_FONTS
from crawler.extraction.model import FontLinks
from crawler.extraction.page import extract_html
from crawler.extraction.parsing import bound_markup

CSS_URL = re.compile(rb"url\(([^()]{1,2000})\)", re.IGNORECASE)
FONT_ENDINGS = (".woff2", ".woff", ".ttf", ".otf")  # formats with readable outlines, the smallest first
MAX_FONT_STYLE_SHEETS = 4  # style sheets of a page that are searched


def find_font_links(body: bytes, headers: Sequence[tuple[str, str]], url: str) -> FontLinks:
    """Return the fonts that a page links to, if its text suggests font obfuscation."""
    if not extract_html(body, headers, url).lost:
        return FontLinks()
    tree = LexborHTMLParser(bound_markup(decode_bytes(body, header_charset(headers)).text).replace("\0", ""))
    base = find_base_url(tree, url)
    fonts = find_style_fonts(body, base)
    if fonts:
        return FontLinks(fonts)
    stated = [node.attributes.get("href") or "" for node in tree.css("link[rel~=stylesheet i][href]")]
    return FontLinks(styles=tuple(dict.fromkeys(_resolve_urls(base, stated)))[:MAX_FONT_STYLE_SHEETS])


def find_style_fonts(style: bytes, base: str) -> tuple[str, ...]:
    """Return the fonts that a style sheet or a page links to, the smallest file of each face."""
    fonts: dict[str, None] = {}
    for face in FONT_FACE.findall(style):
        stated = [link.decode("utf-8", "replace").strip(" \t\r\n\"'") for link in CSS_URL.findall(face)]
        addresses = [url for url in _resolve_urls(base, stated) if _font_preference(url) < len(FONT_ENDINGS)]
        if addresses:
            fonts[min(addresses, key=_font_preference)] = None
    return tuple(fonts)[:MAX_PAGE_FONTS]


def _font_preference(address: str) -> int:
    path = address.partition("?")[0].lower()
    return next((rank for rank, ending in enumerate(FONT_ENDINGS) if path.endswith(ending)), len(FONT_ENDINGS))


def _resolve_urls(base: str, stated: Sequence[str]) -> Iterator[str]:
    for link in stated:
        try:
            address = canonical_url(resolve_link(base, link))
        except ValueError:
            continue
        if address.startswith(("http://", "https://")):
            yield address
