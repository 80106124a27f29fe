"""A response as a parsed page, for what is decided while crawling; parsed once, and by the quicker of the parsers."""

from dataclasses import dataclass
from functools import cached_property

from scrapy.http import Response
from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.addresses import base_of
from crawler.evidence.capture import rendered_page
from crawler.extract.bounded import bounded
from crawler.extract.charset import decode, header_charset

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


def page_as_sent(response: Response) -> ParsedPage:
    """What the server sent, in its true charset, bounded in length."""
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    decoded = decode(response.body[:LONGEST], header_charset([("content-type", content_type)]))
    return ParsedPage(response.url, decoded.text, decoded.charset)


def page_as_shown(response: Response) -> ParsedPage:
    """The page as visitors see it: what a browser made of it, where one was asked, else what was sent."""
    rendered = rendered_page(response)
    if rendered is None:
        return page_as_sent(response)
    return ParsedPage(response.url, rendered[:LONGEST].decode("utf-8", "replace"), "utf-8")


def all_text(page: ParsedPage) -> str:
    """Everything that stands in the page but scripts and styles, which are taken out of its tree."""
    page.tree.strip_tags(["script", "style"])
    root = page.tree.root
    return (root.text(deep=True) or "") if root else ""
