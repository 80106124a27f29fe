"""The addresses by which a request was led where it is, by redirects, and which of them will lead there from now on."""

import re

from scrapy import Request
from scrapy.http import Response

from crawler.crawl.canonical_addresses import any_scheme, canonical

FOR_GOOD = frozenset((301, 308))  # RFC 9110, 15.4.2 and 15.4.9
SIGN_IN = re.compile(r"log-?in|sign-?in|passport|\bauth|denglu", re.IGNORECASE)


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
