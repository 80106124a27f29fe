"""Fetch URLs by the crawler's rules, apart from crawls: the pages change by none of it. This module imports Scrapy.

A process can use it only once, because a Twisted reactor cannot be restarted.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from crawler.addresses import host_of
from crawler.capture import RENDERED_HEADERS, Capture, RecordedExchange, WarcPlace
from crawler.job import CrawlJob
from crawler.ports import Archive, Arrival, CrawlCounts, RateLimiter
from crawler.run import open_archive, run_crawl
from crawler.site_access import Access
from crawler.warc.reader import read_body
from wenhen.context.use_cases import Product
from wenhen.crawls.job import find_crawled_site, make_ad_hoc_site, make_crawl_job, site_of_url
from wenhen.crawls.model import RegionalCapture
from wenhen.kit.errors import BadInput, FetchRefused, Message
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.settings.all_sections import CoreSettings
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


# A capture from a region. It has the guard, robots.txt, pace and archive of any crawl, and no session: what people see
# who are signed in nowhere can be compared between regions.


MAX_REGIONAL_SECONDS: Final = 90.0
ROBOTS_PATH: Final = "/robots.txt"


def fetch_regional_capture(product: Product, asked: RegionalCapture, pace: RateLimiter) -> RegionalCapture:
    """Fetch a page through the proxy of a region, store what came, and return the capture with its answer.

    An answer that is no page, such as status 451, is a capture too where responses are archived.
    """
    site = site_of_url(product, asked.url)
    rules = product.settings.crawler
    own_proxies = open_access(product, site.id).proxies
    job = replace(
        make_crawl_job(site, product.settings, Access(id=site.id, proxies=own_proxies)),
        start_urls=(asked.url,),
        seeds=(),
        follow=False,
        max_pages=1,
        max_depth=0,
        max_seconds=MAX_REGIONAL_SECONDS,
        retries=0,
        pictures=0,
        fonts=False,
        spider=None,
    )
    if asked.region is not None:
        job = replace(job, proxies=(rules.regions[asked.region],))
    sink, archive = _KeepingSink(), _NotingArchive.of(job)
    run_crawl(job, sink, None, pace, archive)
    if sink.arrivals:
        return _keep_arrival(product, asked, sink.arrivals[-1])
    reason = sink.reasons[-1] if sink.reasons else Message("fetch.nothing_came")
    refused = replace(asked, reason=reason)
    if archive is None or (answer := archive.last_answer()) is None:
        return refused
    capture, body = _read_archived(archive.folder, *answer)
    product.store.blobs.put(body)
    return replace(refused, status=capture.status, capture=capture)


def _keep_arrival(product: Product, asked: RegionalCapture, arrival: Arrival) -> RegionalCapture:
    contents: Iterable[bytes | None] = (arrival.body, arrival.rendered)
    product.store.blobs.put_all([content for content in contents if content is not None])
    return replace(asked, status=arrival.capture.status, capture=arrival.capture)


def _read_archived(folder: Path, exchange: RecordedExchange, place: WarcPlace) -> tuple[Capture, bytes]:
    """Return the capture and the body of an answer that the crawl did not take for a page."""
    body = read_body(folder, place)
    first, *lines = (line.decode("latin-1") for line in exchange.answered)
    headers = tuple((name, value) for name, _, value in (line.partition(": ") for line in lines))
    capture = Capture(
        fetched_at=datetime.now(UTC),
        url=exchange.url,
        status=int(first.split(" ", 2)[1]),
        headers=headers,
        body_digest=sha256(body).hexdigest(),
        body_size=len(body),
        warc=place,
        server_address=exchange.address,
    )
    return capture, body


class _KeepingSink:
    """A sink that keeps the page that came, and why none came."""

    def __init__(self) -> None:
        self.arrivals: list[Arrival] = []
        self.reasons: list[Message] = []

    def store_captures(self, arrivals: Sequence[Arrival]) -> list[None]:
        self.arrivals.extend(arrivals)
        return [None] * len(arrivals)

    def report_refused(self, url: str, reason: Message, kind: str) -> None:  # noqa: ARG002  the reason says it
        self.reasons.append(reason)

    def progress(self, counts: CrawlCounts) -> None:
        """Ignore the progress of one page."""


class _NotingArchive:
    """An archive that remembers its last answer, other than robots.txt."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self._archive = archive
        self._answers: list[tuple[RecordedExchange, WarcPlace]] = []
        self.folder = folder

    @classmethod
    def of(cls, job: CrawlJob) -> "_NotingArchive | None":
        """Return the archive of a job, or None without one."""
        archive = open_archive(job)
        return None if archive is None or job.warc_dir is None else cls(archive, job.warc_dir)

    def write_all(self, answers: Sequence[RecordedExchange]) -> Sequence[WarcPlace | Exception]:
        """Implement the port."""
        places = self._archive.write_all(answers)
        self._answers += [
            (answer, place)
            for answer, place in zip(answers, places, strict=True)
            if isinstance(place, WarcPlace) and urlsplit(answer.url).path != ROBOTS_PATH
        ]
        return places

    def close(self) -> None:
        """Implement the port."""
        self._archive.close()

    def last_answer(self) -> tuple[RecordedExchange, WarcPlace] | None:
        """Return the last answer with its place."""
        return self._answers[-1] if self._answers else None
