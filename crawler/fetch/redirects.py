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
from crawler.extraction.page_lines import extract_blocks
from crawler.extraction.parsing import bound_markup, parse_response
from crawler.fetch_errors import SkipOutcome
from crawler.skip_reasons import SkipReason


class FollowingRedirectMiddleware(RedirectMiddleware):
    """Goes where a server sends, even to an address seen before: a page that sets a cookie and sends back to itself.

    The limit on redirects ends circles.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy's third argument is deprecated
        """The request for where the server sends, or the response as it is."""
        return _followed(super().process_response(request, response))


def _followed(result: Request | Response) -> Request | Response:
    """A redirect that is followed whatever was seen before."""
    if isinstance(result, Request):
        result.dont_filter = True
    return result


# Redirects that stand in the page: meta refresh, and scripts that do nothing else than to send the visitor on.


MAX_REDIRECT_PAGE_BYTES = 20_000  # bytes of a page that only sends on
MAX_REDIRECT_TEXT_CHARACTERS = 120  # characters that such a page shows: "click here if nothing happens"
TOO_MANY_REDIRECTS = "max redirections reached"  # Scrapy's own words, by which `crawler.fetch_errors` knows the cause
META_REFRESH_BYTES = 8192  # bytes in which a meta refresh is looked for
REDIRECT_SCRIPT = re.compile(r"<script[^>]*>(.*?)</script>|<body[^>]*\sonload\s*=\s*(\"[^\"]*\"|'[^']*')", re.I | re.S)
SCRIPT_COMMENT = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
SCRIPT_REDIRECT = re.compile(
    r"(?<![\w$-])location(?:\.href)?\s*=\s*([\"'])(?P<set>[^\"'\s]+)\1\s*(?![\s+])"
    r"|(?<![\w$-])location\.(?:replace|assign)\(\s*([\"'])(?P<call>[^\"'\s]+)\3\s*\)"
)


class PageRedirectMiddleware(MetaRefreshMiddleware):
    """Goes where a page sends its visitor; the limit on redirects ends circles, the bounds of the job hold."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]  # Scrapy's third argument is deprecated
        """The request for where the page sends, or the response as it is."""
        if not isinstance(response, HtmlResponse) or response.status >= 300:
            return response
        if b"refresh" in response.body[:META_REFRESH_BYTES].lower():
            result: Request | Response = _followed(super().process_response(request, response))
            if isinstance(result, Request):
                return result
        if len(response.body) <= MAX_REDIRECT_PAGE_BYTES and b"location" in response.body:
            target = script_redirect_target(parse_response(response).text, response.url)
            if target is not None:
                return self._follow_script(request, target)
        return response

    def _follow_script(self, request: Request, target: str) -> Request:
        """The request for where a script sends; its meta says the same as after a redirect of Scrapy's.

        Raises `IgnoreRequest` past the limit on redirects.
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
    """Where a page without text of its own sends its visitor by script, in full; None where it sends nobody.

    Only an address that stands there in plain; what a script puts together is left to browsers. A page that sets a
    cookie first tests for browsers, and would send us in a circle.
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
    """The addresses that led here and will do so from now on; http and https of one address are the same page. Who has
    to sign in first is sent there for good as well, by some sites, and the page is where it was.
    """
    steps = list(zip(redirect_origins(request), request.meta.get("redirect_reasons", ()), strict=False))
    last = next((at for at in range(len(steps), 0, -1) if steps[at - 1][1] not in PERMANENT_REDIRECTS), 0)
    here = scheme_neutral_url(canonical_url(request.url))
    if SIGN_IN_URL.search(here):
        return []
    return [url for url, _ in steps[last:] if scheme_neutral_url(url) != here]


def redirect_chain(response: Response) -> tuple[str, ...]:
    """The addresses that led to this answer by redirects, as they were asked for and in their canonical form."""
    asked: list[str] = response.meta.get("redirect_urls", [])
    return tuple(dict.fromkeys((*asked, *map(canonical_url, asked))))


def redirect_origins(request: Request) -> list[str]:
    """The addresses that led here by redirects, in order."""
    return [canonical_url(url) for url in request.meta.get("redirect_urls", ())]


# Which answers of a server say that a page is there no more. A server that does not answer says nothing.
#
# A page in whose place a notice of its removal stands is told by `crawler.spiders.soft_blocks`.


# 451 (RFC 7725): unavailable for legal reasons, which is what a takedown is.
GONE_REASONS = frozenset(("http_404", "http_410", "http_451", SkipReason.REMOVED))
FRONT_PAGE_PATH = re.compile(r"/?(?:(?:index|default)\.(?:html?|php|aspx?|jsp))?", re.IGNORECASE)


def gone_urls(request: Request, outcome: SkipOutcome) -> list[str]:
    """The addresses that are gone by this outcome: the one asked for, and those that redirected there."""
    if outcome.reason not in GONE_REASONS:
        return []
    return list(dict.fromkeys([*redirect_origins(request), canonical_url(request.url)]))


def urls_sent_to_front_page(request: Request) -> list[str]:
    """The addresses whose visitors are sent to the front page instead, as many sites do with what they took down."""
    if not _is_front_page(request.url):
        return []
    host = host_of(request.url) or ""
    return [
        url
        for url in redirect_origins(request)
        if is_host_among(host_of(url) or "", [host]) and not _is_front_page(url)
    ]


def _is_front_page(url: str) -> bool:
    parts = urlsplit(url)
    return FRONT_PAGE_PATH.fullmatch(parts.path) is not None and not parts.query
