"""Fetch URLs by the crawler's rules without storing them. This module imports Scrapy.

A process can use it only once, because a Twisted reactor cannot be restarted.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock

from crawler.addresses import host_of
from crawler.capture import RENDERED_HEADERS, Capture
from crawler.job import CrawlJob
from crawler.ports import Arrival, CrawlCounts
from crawler.run import run_crawl
from crawler.site_access import Access
from wenhen.crawls.job import find_crawled_site, make_ad_hoc_site, make_crawl_job
from wenhen.kit.errors import BadInput, FetchRefused, Message
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.product.context import Product
from wenhen.product.settings import CoreSettings
from wenhen.sites.access import open_access

DeliverCapture = Callable[[str, Capture, bytes], None]  # URL, capture, body
RefuseUrl = Callable[[str, Message], None]  # URL, reason


@dataclass
class _HandOnSink:
    """A sink that passes captures on one by one and stores none. For a rendered page it passes on the rendered body."""

    deliver: DeliverCapture
    refuse: RefuseUrl
    lock: Lock = field(default_factory=Lock)

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        for arrival in arrivals:
            body, capture = arrival.body, arrival.capture
            if arrival.rendered is not None:
                body, capture = arrival.rendered, replace(capture, headers=RENDERED_HEADERS)
            with self.lock:
                self.deliver(arrival.url, capture, body)
        return [None] * len(arrivals)

    def report_refused(self, url: str, reason: Message, kind: str) -> None:  # noqa: ARG002  the reason says it
        with self.lock:
            self.refuse(url, reason)

    def progress(self, counts: CrawlCounts) -> None:
        """Ignore the progress, because a few fetches are not monitored."""


def fetch_page(product: Product, url: str) -> tuple[bytes, Capture]:
    """Fetch a page by the rules of the site that contains the URL, and return its body and capture.

    Raises `FetchRefused` with the reason.
    """
    captures: list[tuple[bytes, Capture]] = []
    reasons = [Message("fetch.nothing_came")]
    handing = _HandOnSink(
        lambda _, capture, body: captures.append((body, capture)), lambda _, reason: reasons.append(reason)
    )
    site = find_crawled_site(product, Subject(SubjectKind.ADDRESS, url))
    job = make_crawl_job(site, product.settings, open_access(product, site.id))
    _crawl_quietly(replace(job, max_pages=1, max_depth=0, warc_dir=None), handing)
    if not captures:
        raise FetchRefused("crawls.of_address", url=url, reason=reasons[-1])
    return captures[0]


def fetch_pages(
    settings: CoreSettings, urls: Sequence[str], deliver: DeliverCapture, refuse: RefuseUrl, *, internal: bool
) -> None:
    """Fetch these URLs without following links. This needs no store, and so no site rules apply.

    Only one thread at a time calls `deliver` or `refuse`. Both get the final URL after redirects.

    Raises `BadInput` if a URL is not a web address.
    """
    hosts = {url: host_of(url) for url in urls}
    for url, host in hosts.items():
        if host is None:
            raise BadInput("crawls.not_web", url=url)
    site = replace(
        make_ad_hoc_site(urls[0], hosts[urls[0]] or "", datetime.now(UTC)),
        start_urls=tuple(urls),
        hosts=tuple({host: None for host in hosts.values() if host}),
        internal=internal,
        max_pages=len(urls),
    )
    _crawl_quietly(
        replace(make_crawl_job(site, settings, Access(id=site.id)), follow=False, warc_dir=None),
        _HandOnSink(deliver, refuse),
    )


def _crawl_quietly(job: CrawlJob, handing: _HandOnSink) -> None:
    """Run a crawl without log output, because `refuse` already reports failures.

    Without a log handler, Python would print tracebacks to stderr.
    """
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    run_crawl(job, handing)
