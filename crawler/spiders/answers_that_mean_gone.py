"""Which answers of a server say that a page is there no more. A server that does not answer says nothing.

A page in whose place a notice of its removal stands is told by `crawler.spiders.soft_blocks`.
"""

import re
from urllib.parse import urlsplit

from scrapy import Request

from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.host_names import belongs, host_of
from crawler.crawl.miss_reasons import Reason
from crawler.crawl.why_not_captured import Outcome
from crawler.spiders.led_here import origins

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


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return FRONT.fullmatch(parts.path) is not None and not parts.query
