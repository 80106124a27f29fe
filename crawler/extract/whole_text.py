"""All that a reader of a page sees, its main text and what stands around it."""

from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.charset import decode, header_charset
from crawler.extract.markup.bounded_markup import bounded


def whole_page(body: bytes, headers: Sequence[tuple[str, str]]) -> LexborHTMLParser:
    """A page without its scripts and styles."""
    tree = LexborHTMLParser(bounded(decode(body, header_charset(headers)).text).replace("\0", ""))
    tree.strip_tags(["script", "style", "noscript", "template"])
    return tree


def whole_text(body: bytes, headers: Sequence[tuple[str, str]]) -> str:
    """The text of such a page."""
    shown = whole_page(body, headers).body
    return shown.text() if shown else ""
