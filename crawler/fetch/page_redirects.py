"""Redirects that stand in the page: meta refresh, and scripts that do nothing else than to send the visitor on."""

import re
from html import unescape
from urllib.parse import urljoin

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse, Response
from selectolax.lexbor import LexborHTMLParser

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.host_names import host_of
from crawler.extract.markup.bounded_markup import bounded
from crawler.extract.page_lines import blocks_of
from crawler.extract.parsed_page import page_as_sent
from crawler.fetch.server_redirects import FollowedRedirects

LONGEST = 20_000  # bytes of a page that only sends on
MOST_TEXT = 120  # characters that such a page shows: "click here if nothing happens"
HEAD = 8192  # bytes in which a meta refresh is looked for
SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>|<body[^>]*\sonload\s*=\s*(\"[^\"]*\"|'[^']*')", re.I | re.S)
COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
SENT_ON = re.compile(
    r"(?<![\w$-])location(?:\.href)?\s*=\s*([\"'])(?P<set>[^\"'\s]+)\1\s*(?![\s+])"
    r"|(?<![\w$-])location\.(?:replace|assign)\(\s*([\"'])(?P<call>[^\"'\s]+)\3\s*\)"
)


class PageRedirectMiddleware(FollowedRedirects, MetaRefreshMiddleware):
    """Goes where a page sends its visitor; the limit on redirects ends circles, the bounds of the job hold."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy's third argument is deprecated
        """The request for where the page sends, or the response as it is."""
        if not isinstance(response, HtmlResponse) or response.status >= 300:
            return response
        if b"refresh" in response.body[:HEAD].lower():
            result: Request | Response = super().process_response(request, response)
            if isinstance(result, Request):
                return result
        if len(response.body) <= LONGEST and b"location" in response.body:
            target = sent_on(page_as_sent(response).text, response.url)
            if target is not None:
                return self._redirect(request.replace(url=target), request, "script")
        return response


def sent_on(html: str, url: str) -> str | None:
    """Where a page without text of its own sends its visitor by script, in full; None where it sends nobody.

    Only an address that stands there in plain; what a script puts together is left to browsers. A page that sets a
    cookie first tests for browsers, and would send us in a circle.
    """
    scripts = "\n".join(script or unescape(onload[1:-1]) for script, onload in SCRIPT.findall(html))
    found = SENT_ON.search(COMMENT.sub("", scripts))
    if found is None or "document.cookie" in scripts:
        return None
    try:
        target = urljoin(url, (found["set"] or found["call"]).replace("\\/", "/"))
    except ValueError:
        return None
    if host_of(target) is None or canonical(target) == canonical(url):
        return None
    shown = sum(len(line.text) for line in blocks_of(LexborHTMLParser(bounded(html).replace("\0", ""))).lines)
    return target if shown <= MOST_TEXT else None
