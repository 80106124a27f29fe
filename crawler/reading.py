"""A response as a parsed page, for what is decided while crawling."""

import re
from itertools import islice

from lxml import etree
from scrapy.http import HtmlResponse, Response

from crawler.capture import header_charset, rendered_page
from crawler.charset import decode

LINK = re.compile(rb"<(?:a|area)\s", re.IGNORECASE)
MOST_LINKS = 10_000  # the longest novels have half as many chapters
LONGEST_READ = 2 << 20  # bytes: a longer page is a text or a trap, and parsing it would hold up all others


def readable(response: Response) -> HtmlResponse:
    """The page in its true charset, bounded in length."""
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    body = response.body[:LONGEST_READ]
    charset = decode(body, header_charset([("content-type", content_type)])).charset
    return HtmlResponse(response.url, body=body, encoding=charset)


def shown(response: Response) -> HtmlResponse:
    """The page as visitors see it: what a browser made of it, where one was asked, else what was sent."""
    rendered = rendered_page(response)
    if rendered is None:
        return readable(response)
    return HtmlResponse(response.url, body=rendered[:LONGEST_READ], encoding="utf-8")


def with_bounded_links(page: HtmlResponse) -> HtmlResponse:
    """The page up to its MOST_LINKS-th link: to look at each takes time in which nothing else is done."""
    starts = islice(LINK.finditer(page.body), MOST_LINKS, MOST_LINKS + 1)
    cut = next(starts, None)
    return page if cut is None else page.replace(body=page.body[: cut.start()])


def canonical_link(page: HtmlResponse) -> str | None:
    """The address that the page calls its own (RFC 6596), in full."""
    stated = page.xpath("//link[@rel='canonical']/@href").get()
    try:
        return page.urljoin(stated.strip()) if stated and stated.strip() else None
    except ValueError:
        return None


def all_text(page: HtmlResponse) -> str:
    """Everything that stands in the page but scripts and styles, which are taken out of its tree."""
    root = page.selector.root
    etree.strip_elements(root, "script", "style", with_tail=False)
    return str(root.xpath("string()"))
