"""Addresses whose pages are no longer there, by what their server says. A server that does not answer says nothing."""

import re
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response

from crawler.crawl.addresses import any_scheme, canonical
from crawler.crawl.host_names import belongs, host_of
from crawler.crawl.why_not_captured import Outcome, Reason

# 451 (RFC 7725): unavailable for legal reasons, which is what a takedown is.
GONE = frozenset(("http_404", "http_410", "http_451", Reason.REMOVED))

FOR_GOOD = frozenset((301, 308))  # RFC 9110, 15.4.2 and 15.4.9
SIGN_IN = re.compile(r"log-?in|sign-?in|passport|\bauth|denglu", re.IGNORECASE)
FRONT = re.compile(r"/?(?:(?:index|default)\.(?:html?|php|aspx?|jsp))?", re.IGNORECASE)


def vanished(request: Request, outcome: Outcome) -> list[str]:
    """The addresses that are gone by this outcome: the one asked for, and those that redirected there."""
    if outcome.reason not in GONE:
        return []
    return list(dict.fromkeys([*origins(request), canonical(request.url)]))


def sent_home(request: Request) -> list[str]:
    """The addresses whose visitors are sent to the front page instead, as many sites do with what they took down."""
    if not _is_front(request.url):
        return []
    host = host_of(request.url) or ""
    return [url for url in origins(request) if belongs(host_of(url) or "", [host]) and not _is_front(url)]


def moved_for_good(request: Request) -> list[str]:
    """The addresses that led here and will do so from now on; http and https of one address are the same page. Who has
    to sign in first is sent there for good as well, by some sites, and the page is where it was.
    """
    steps = list(zip(origins(request), request.meta.get("redirect_reasons", ()), strict=False))
    last = next((at for at in range(len(steps), 0, -1) if steps[at - 1][1] not in FOR_GOOD), 0)
    here = any_scheme(canonical(request.url))
    if SIGN_IN.search(here):
        return []
    return [url for url, _ in steps[last:] if any_scheme(url) != here]


def led_here(response: Response) -> tuple[str, ...]:
    """The addresses that led to this answer by redirects, as they were asked for and in their canonical form."""
    asked: list[str] = response.meta.get("redirect_urls", [])
    return tuple(dict.fromkeys((*asked, *map(canonical, asked))))


def origins(request: Request) -> list[str]:
    """The addresses that led here by redirects, in order."""
    return [canonical(url) for url in request.meta.get("redirect_urls", ())]


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return FRONT.fullmatch(parts.path) is not None and not parts.query
