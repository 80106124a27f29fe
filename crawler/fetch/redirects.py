"""Follow redirects, trace their chain, and detect pages that are gone."""

import re
from html import unescape
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from selectolax.lexbor import LexborHTMLParser

from crawler.addresses import canonical_url, host_of, is_host_among, scheme_neutral_url
from crawler.crawl_stats import Ledger, SkipOutcome
from crawler.extraction.page_lines import extract_blocks
from crawler.extraction.parsing import bound_markup, parse_response
from crawler.skip_reasons import SkipReason
from wenhen.kit.errors import message


class FollowingRedirectMiddleware(RedirectMiddleware):
    """Follows redirects even to addresses seen before, as from a page that sets a cookie and redirects to itself. The
    limit on redirects ends loops.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy's third argument is deprecated
        """Return the request for the redirect's target, or the response unchanged."""
        return _allow_revisit(super().process_response(request, response))


def _allow_revisit(result: Request | Response) -> Request | Response:
    """Return a redirect that is followed even if its address was seen."""
    if isinstance(result, Request):
        result.dont_filter = True
    return result


# Redirects inside pages: meta refresh, and scripts that only redirect.


MAX_REDIRECT_PAGE_BYTES = 20_000  # bytes of a page that only redirects
MAX_REDIRECT_TEXT_CHARACTERS = 120  # visible characters of such a page: "click here if nothing happens"
TOO_MANY_REDIRECTS = "max redirections reached"  # Scrapy's own words, which `crawler.crawl_stats` recognizes
META_REFRESH_BYTES = 8192  # bytes that are searched for a meta refresh
REDIRECT_SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>|<body[^>]*\sonload\s*=\s*(\"[^\"]*\"|'[^']*')", re.I | re.S)
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
SCRIPT_REDIRECT = re.compile(
    r"(?<![\w$-])location(?:\.href)?\s*=\s*([\"'])(?P<set>[^\"'\s]+)\1\s*(?![\s+])"
    r"|(?<![\w$-])location\.(?:replace|assign)\(\s*([\"'])(?P<call>[^\"'\s]+)\3\s*\)"
)


class PageRedirectMiddleware(MetaRefreshMiddleware):
    """Follows redirects inside pages. The limit on redirects ends loops, and the bounds of the job hold."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy's third argument is deprecated
        """Return the request for the redirect's target, or the response unchanged."""
        if not isinstance(response, HtmlResponse) or response.status >= 300:
            return response
        if b"refresh" in response.body[:META_REFRESH_BYTES].lower():
            result: Request | Response = _allow_revisit(super().process_response(request, response))
            if isinstance(result, Request):
                return result
        if len(response.body) <= MAX_REDIRECT_PAGE_BYTES and b"location" in response.body:
            target = script_redirect_target(parse_response(response).text, response.url)
            if target is not None:
                return self._follow_script(request, target)
        return response

    def _follow_script(self, request: Request, target: str) -> Request:
        """Return the request for a script's target, with the same meta as a redirect of Scrapy's.

        Raise `IgnoreRequest` beyond the limit on redirects.
        """
        times = request.meta.get("redirect_times", 0) + 1
        left = request.meta.get("redirect_ttl", self.max_redirect_times)
        if not left or times > self.max_redirect_times:
            raise IgnoreRequest(TOO_MANY_REDIRECTS)
        return request.replace(
            url=target,
            dont_filter=True,
            priority=request.priority + self.priority_adjust,
            meta={
                **request.meta,
                "redirect_times": times,
                "redirect_ttl": left - 1,
                "redirect_urls": [*request.meta.get("redirect_urls", ()), request.url],
                "redirect_reasons": [*request.meta.get("redirect_reasons", ()), "script"],
            },
        )


def script_redirect_target(html: str, url: str) -> str | None:
    """Return the full address that a page without text redirects to by script, or None.

    Only literal addresses count. Computed ones need a browser. A page that first sets a cookie tests for browsers, and
    would redirect in a loop.
    """
    scripts = "\n".join(script or unescape(onload[1:-1]) for script, onload in REDIRECT_SCRIPT.findall(html))
    match = SCRIPT_REDIRECT.search(SCRIPT_COMMENT.sub("", scripts))
    if match is None or "document.cookie" in scripts:
        return None
    try:
        target = urljoin(url, (match["set"] or match["call"]).replace("\\/", "/"))
    except ValueError:
        return None
    if host_of(target) is None or canonical_url(target) == canonical_url(url):
        return None
    shown = sum(len(line.text) for line in extract_blocks(LexborHTMLParser(bound_markup(html).replace("\0", ""))).lines)
    return target if shown <= MAX_REDIRECT_TEXT_CHARACTERS else None


PERMANENT_REDIRECTS = frozenset((301, 308))  # RFC 9110, 15.4.2 and 15.4.9
SIGN_IN_URL = re.compile(r"log-?in|sign-?in|passport|\bauth|denglu", re.IGNORECASE)


def permanently_moved_urls(request: Request) -> list[str]:
    """Return the addresses that redirect here permanently. The http and https addresses of one page are the same.

    Some sites redirect permanently to their sign-in, and then the page has not moved.
    """
    steps = list(zip(redirect_origins(request), request.meta.get("redirect_reasons", ()), strict=False))
    last = next((count for count in range(len(steps), 0, -1) if steps[count - 1][1] not in PERMANENT_REDIRECTS), 0)
    here = scheme_neutral_url(canonical_url(request.url))
    if SIGN_IN_URL.search(here):
        return []
    return [url for url, _ in steps[last:] if scheme_neutral_url(url) != here]


def redirect_chain(response: Response) -> tuple[str, ...]:
    """Return the addresses that redirected to this answer, as requested and in canonical form."""
    requested: list[str] = response.meta.get("redirect_urls", [])
    return tuple(dict.fromkeys((*requested, *map(canonical_url, requested))))


def redirect_origins(request: Request) -> list[str]:
    """Return the canonical addresses that redirected here, in order."""
    return [canonical_url(url) for url in request.meta.get("redirect_urls", ())]


# Detection of pages that are gone. A server that does not answer proves nothing.
#
# `crawler.spiders.soft_blocks` detects removal notices in place of a page. 451 (RFC 7725) means unavailable for legal
# reasons, as after a takedown.


# 451 (RFC 7725): unavailable for legal reasons, which is what a takedown is.
GONE_REASONS = frozenset(("http_404", "http_410", "http_451", SkipReason.REMOVED))
FRONT_PAGE_PATH = re.compile(r"/?(?:(?:index|default)\.(?:html?|php|aspx?|jsp))?", re.IGNORECASE)


def gone_urls(request: Request, outcome: SkipOutcome) -> list[str]:
    """Return the addresses that are gone by this outcome: the requested one, and those that redirected there."""
    if outcome.reason not in GONE_REASONS:
        return []
    return list(dict.fromkeys([*redirect_origins(request), canonical_url(request.url)]))


def urls_sent_to_front_page(request: Request) -> list[str]:
    """Return the addresses that redirect to the front page, as many sites do with pages that they took down."""
    if not _is_front_page(request.url):
        return []
    host = host_of(request.url) or ""
    return [
        url
        for url in redirect_origins(request)
        if is_host_among(host_of(url) or "", [host]) and not _is_front_page(url)
    ]


def report_moved(ledger: Ledger, request: Request, url: str) -> None:
    """Report the addresses that redirect to the front page, or permanently to this address, as gone."""
    for origin in urls_sent_to_front_page(request):
        ledger.report_gone(origin, message("fetch.sent_home", url=url))
    for origin in permanently_moved_urls(request):
        ledger.report_gone(origin, message("fetch.moved", url=url))


def _is_front_page(url: str) -> bool:
    parts = urlsplit(url)
    return FRONT_PAGE_PATH.fullmatch(parts.path) is not None and not parts.query
