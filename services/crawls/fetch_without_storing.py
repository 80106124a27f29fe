"""Addresses fetched by the rules of the crawler, without storing anything.

Once in a process: a Twisted reactor cannot be started again.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Lock

from crawler.crawl.address_counts import CrawlCounts
from crawler.crawl.host_names import host_of
from crawler.crawl.job import CrawlJob
from crawler.crawl.sink_port import Arrival
from crawler.run_crawl import crawl
from pipeline.setting_sections import CoreSettings
from services.context import Product
from services.crawls.job_of_site import job_for
from services.crawls.opened_access import opened_access
from services.crawls.subject import site_for
from services.crawls.unwatched_address import ad_hoc_site
from store.errors import BadInput, FetchRefused
from store.messages import Message
from store.records import Access, Capture, Subject, SubjectKind
from store.records.web.page import RENDERED_HEADERS

Deliver = Callable[[str, Capture, bytes], None]  # address, capture, body
Refuse = Callable[[str, Message], None]  # address, reason


@dataclass
class _Handing:
    """A sink that hands captures on one by one and keeps none; of a rendered page, what the browser made of it."""

    deliver: Deliver
    refuse: Refuse
    lock: Lock = field(default_factory=Lock)

    def captured(self, arrivals: Sequence[Arrival]) -> list[None]:
        for one in arrivals:
            body, capture = one.body, one.capture
            if one.rendered is not None:
                body, capture = one.rendered, replace(capture, headers=RENDERED_HEADERS)
            with self.lock:
                self.deliver(one.url, capture, body)
        return [None] * len(arrivals)

    def refused(self, url: str, reason: Message, kind: str) -> None:  # noqa: ARG002  the reason says it
        with self.lock:
            self.refuse(url, reason)

    def progress(self, counts: CrawlCounts) -> None:
        """Nobody watches a few fetches."""


def fetch(product: Product, url: str) -> tuple[bytes, Capture]:
    """The body and the capture, by the rules of the site that the address belongs to. Raises `FetchRefused` with the
    reason.
    """
    found: list[tuple[bytes, Capture]] = []
    reasons = [Message("fetch.nothing_came")]
    handing = _Handing(lambda _, capture, body: found.append((body, capture)), lambda _, reason: reasons.append(reason))
    site = site_for(product, Subject(SubjectKind.ADDRESS, url))
    job = job_for(site, product.settings, opened_access(product, site.id))
    _crawl(replace(job, max_pages=1, max_depth=0, warc_dir=None), handing)
    if not found:
        raise FetchRefused("crawls.of_address", url=url, reason=reasons[-1])
    return found[0]


def fetch_each(
    settings: CoreSettings, urls: Sequence[str], deliver: Deliver, refuse: Refuse, *, internal: bool
) -> None:
    """Fetch these addresses and nothing that they link to; needs no store, and so knows no sites.

    Both functions are called by one thread at a time, under the address that a page came from after redirects.
    """
    hosts = {url: host_of(url) for url in urls}
    for url, host in hosts.items():
        if host is None:
            raise BadInput("crawls.not_web", url=url)
    site = replace(
        ad_hoc_site(urls[0], hosts[urls[0]] or "", datetime.now(UTC)),
        start_urls=tuple(urls),
        hosts=tuple({host: None for host in hosts.values() if host}),
        internal=internal,
        max_pages=len(urls),
    )
    _crawl(replace(job_for(site, settings, Access(id=site.id)), follow=False, warc_dir=None), _Handing(deliver, refuse))


def _crawl(job: CrawlJob, handing: _Handing) -> None:
    """What fails is told by its reason alone: where nobody set logging up, Python would print tracebacks beside it."""
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    crawl(job, handing)
