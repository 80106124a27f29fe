"""Schedule recrawls of single pages between two crawls of their site.

Those that change more often than it is crawled, and those of cases that are pursued, each day: whether a copy was
removed, and when, is what a notice is about.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from crawler.job import CrawlJob
from wenhen.cases.rules import PURSUED_STATUSES
from wenhen.crawls.service import start_crawl
from wenhen.kit.errors import Conflict, NotFound
from wenhen.kit.progress import Subject, SubjectKind
from wenhen.product.context import Product
from wenhen.sites.model import Site

RECRAWL_INTERVAL = timedelta(minutes=10)  # between two rounds
MIN_TIME_TO_CRAWL = timedelta(hours=1)  # before the next crawl of a site, which must not find one of its runs going on
MAX_RECRAWL_PAGES = 200  # pages of a recrawl
PURSUED_INTERVAL = timedelta(days=1)
RETRY_INTERVAL = timedelta(hours=6)  # where a look at those brought nothing
_RECRAWL_MARK = "looks"  # of the last round


def start_recrawls(product: Product, now: datetime) -> None:
    """Queue a run for each site that has pages which are due before its next crawl."""
    if not product.store.marks.claim(_RECRAWL_MARK, now, RECRAWL_INTERVAL):
        return
    for site in product.store.sites.all():
        if site.paused or site.due - now < MIN_TIME_TO_CRAWL or not _is_recrawl_wanted(product, site, now):
            continue
        with suppress(Conflict, NotFound):
            start_crawl(product, Subject(SubjectKind.SITE, site.id), due=now, recrawl=True)


def recrawl_job(product: Product, job: CrawlJob, site: Site) -> CrawlJob:
    """The job of such a run: those pages, and what they link to that was not there before."""
    pages = _due_urls(product, site, product.now(), MAX_RECRAWL_PAGES)
    return replace(job, start_urls=tuple(pages) or job.start_urls[:1], max_depth=min(job.max_depth, 1))


def _is_recrawl_wanted(product: Product, site: Site, now: datetime) -> bool:
    if product.store.pages.due_recrawls(site.id, now, 1, below=site.interval_hours):
        return True
    # A server that does not answer is not asked every few minutes.
    return bool(_pursued_urls(product, site, now)) and product.store.marks.claim(
        f"pursued:{site.id}", now, RETRY_INTERVAL
    )


def _due_urls(product: Product, site: Site, now: datetime, limit: int) -> list[str]:
    pursued = _pursued_urls(product, site, now)
    changing = product.store.pages.due_recrawls(site.id, now, limit, below=site.interval_hours)
    return list(dict.fromkeys([*pursued, *changing]))[:limit]


def _pursued_urls(product: Product, site: Site, now: datetime) -> list[str]:
    """The pages of pursued cases that were not looked at for a day, the longest first."""
    urls = (
        product.store.cases.find(status=status, hosts=site.hosts, present=True, limit=MAX_RECRAWL_PAGES)
        for status in PURSUED_STATUSES
    )
    pages = product.store.pages.many({case.page_id for cases in urls for case in cases}).values()
    waiting = [page for page in pages if page.capture.fetched_at <= now - PURSUED_INTERVAL]
    return [page.url for page in sorted(waiting, key=lambda page: page.capture.fetched_at)]
