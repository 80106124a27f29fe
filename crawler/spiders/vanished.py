"""Addresses whose pages are no longer there, by what their server says. A server that does not answer says nothing."""

import re
from urllib.parse import urlsplit

from scrapy import Request

from crawler.crawl.addresses import canonical
from crawler.crawl.hosts import belongs, host_of
from crawler.crawl.reasons import Outcome, Reason

# 451 (RFC 7725): unavailable for legal reasons, which is what a takedown is.
GONE = frozenset(("http_404", "http_410", "http_451", Reason.REMOVED))

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


def origins(request: Request) -> list[str]:
    """The addresses that led here by redirects, in order."""
    return [canonical(url) for url in request.meta.get("redirect_urls", ())]


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return FRONT.fullmatch(parts.path) is not None and not parts.query
