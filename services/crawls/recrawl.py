"""Recrawls: the pages of a site that change more often than it is crawled, fetched between two of its crawls."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.crawl.job import CrawlJob
from services.context import Product
from services.crawls.runs import start_crawl
from store.errors import Conflict, NotFound
from store.records import Site, Subject, SubjectKind

EVERY = timedelta(minutes=10)  # between two rounds
ROOM = timedelta(hours=1)  # before the next crawl of a site, which must not find one of its runs going on
MOST = 200  # pages of a recrawl
_MARK = "looks"  # of the last round


def start_recrawls(product: Product, now: datetime) -> None:
    """Queue a run for each site that has pages which are due before its next crawl."""
    if not product.store.marks.claim(_MARK, now, EVERY):
        return
    for site in product.store.sites.all():
        if site.paused or site.due - now < ROOM or not _due(product, site, now, 1):
            continue
        with suppress(Conflict, NotFound):
            start_crawl(product, Subject(SubjectKind.SITE, site.id), due=now, recrawl=True)


def recrawl_job(product: Product, job: CrawlJob, site: Site) -> CrawlJob:
    """The job of such a run: those pages, and what they link to that was not there before."""
    pages = _due(product, site, product.now(), MOST)
    return replace(job, start_urls=tuple(pages) or job.start_urls[:1], max_depth=min(job.max_depth, 1))


def _due(product: Product, site: Site, now: datetime, limit: int) -> list[str]:
    return product.store.pages.due_recrawls(site.id, now, limit, below=site.interval_hours)
