"""One address fetched by the rules of the crawler, without storing anything."""

from dataclasses import dataclass, replace

from crawler.job import CrawlCounts
from crawler.process import crawl
from store.errors import FetchRefused
from store.records import Capture
from wenhen.app import App
from wenhen.crawl_process import job_for
from wenhen.crawling import site_for


@dataclass
class _Kept:
    """A sink that keeps the one capture, or the reason why there is none."""

    found: tuple[bytes, Capture] | None = None
    reason: str = "nothing came back"

    def captured(self, url: str, capture: Capture, body: bytes) -> None:  # noqa: ARG002  the address is the one asked for
        self.found = body, capture

    def refused(self, url: str, reason: str) -> None:  # noqa: ARG002  the same
        self.reason = reason

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches one fetch."""


def fetch(app: App, url: str) -> tuple[bytes, Capture]:
    """The body and the capture. Raises `FetchRefused` with the reason.

    Once in a process: a Twisted reactor cannot be started again.
    """
    job = replace(job_for(site_for(app, url), app.settings), max_pages=1, max_depth=0)
    kept = _Kept()
    crawl(job, kept)
    if kept.found is None:
        raise FetchRefused(f"{url}: {kept.reason}")
    return kept.found
