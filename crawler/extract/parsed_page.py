"""A response as a parsed page, for what is decided while crawling; parsed once, and by the quicker of the parsers."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import base_of
from crawler.extract.charset import decode, header_charset
from crawler.extract.markup.bounded_markup import bounded

if TYPE_CHECKING:
    from scrapy.http import Response  # which the process that reads pages does without

LONGEST = 2 << 20  # bytes: a longer page is a text or a trap, and parsing it would hold up all others


@dataclass
class ParsedPage:
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


def page_as_sent(response: "Response") -> ParsedPage:
    """What the server sent, in its true charset, bounded in length."""
    return parsed_page(response.url, response.body[:LONGEST], content_type_of(response))


def parsed_page(url: str, body: bytes, content_type: str) -> ParsedPage:
    """A page by its bytes, with the Content-Type that came with them."""
    decoded = decode(body, header_charset([("content-type", content_type)]))
    return ParsedPage(url, decoded.text, decoded.charset)


def content_type_of(response: "Response") -> str:
    """The Content-Type header; empty where there is none."""
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def all_text(page: ParsedPage) -> str:
    """Everything that stands in the page but scripts and styles, which are taken out of its tree."""
    page.tree.strip_tags(["script", "style"])
    root = page.tree.root
    return (root.text(deep=True) or "") if root else ""
