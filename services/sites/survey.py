"""How a site is best gone through, found from one address."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.context import App
from services.sites.settings import host_of_start
from store.errors import BadInput, FetchRefused, Unavailable
from store.records import Layout
from wenhen.wiring import worker_environment

LONGEST = 120  # seconds
MOST_LISTS = 20


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a site offers, and how it should be watched: by its sitemaps, else by its feeds, else by its links."""

    url: str
    name: str
    sitemaps: tuple[str, ...]
    feeds: tuple[str, ...]
    pages: int  # that the sitemaps and feeds name

    @property
    def layout(self) -> Layout:
        """How it should be gone through."""
        return Layout.SITEMAP if self.sitemaps else Layout.FEED if self.feeds else Layout.NEWS

    def written(self) -> Mapping[str, str]:
        """The settings of the site that is suggested, as `services.sites.settings` reads them."""
        urls = {Layout.SITEMAP: self.sitemaps, Layout.FEED: self.feeds}.get(self.layout, (self.url,))
        return {"urls": " ".join(urls), "name": self.name, "layout": str(self.layout)}


def find_site(app: App, url: str, *, internal: bool = False) -> Suggestion:
    """Look at an address, robots.txt, sitemaps and feeds, by the rules of the crawler, in a process of its own.

    Raises `BadInput`, `FetchRefused` with the reason, `Unavailable`.
    """
    host = host_of_start(url)
    asked = json.dumps({"url": url, "internal": internal})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "wenhen.processes.find_process"],
            input=asked,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
            env=dict(worker_environment(app.settings)),
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{url} took longer than {LONGEST} seconds: try again") from None
    if done.returncode:
        raise BadInput(f"{url} cannot be looked at: {(done.stderr.strip().splitlines() or ['no reason told'])[-1]}")
    found = json.loads(done.stdout)
    if found["problem"] and not found["sitemaps"] and not found["feeds"]:
        raise FetchRefused(f"{url}: {found['problem']}")
    return Suggestion(
        url,
        found["title"][:100] or host,
        tuple(found["sitemaps"][:MOST_LISTS]),
        tuple(found["feeds"][:MOST_LISTS]),
        found["pages"],
    )
