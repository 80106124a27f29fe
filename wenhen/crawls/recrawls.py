"""Schedule recrawls of single pages between two crawls of their site.

They cover pages that change more often than the site is crawled, and pages of pursued cases once a day. A notice
depends on whether and when a copy was removed.
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

RECRAWL_INTERVAL = timedelta(minutes=10)  # between two rounds of scheduling
MIN_TIME_TO_CRAWL = timedelta(hours=1)  # before the next crawl of a site, which must not meet an active recrawl
MAX_RECRAWL_PAGES = 200  # pages per recrawl
PURSUED_INTERVAL = timedelta(days=1)
RETRY_INTERVAL = timedelta(hours=6)  # after a recrawl of pages of pursued cases
_RECRAWL_MARK = "looks"  # name of the scheduler mark


def start_recrawls(product: Product, now: datetime) -> None:
    """Queue a recrawl for each site with pages that are due before its next crawl.

    Only its own spider can read the pages of a site that has one, so they wait for the crawl.
    """
    if not product.store.marks.claim(_RECRAWL_MARK, now, RECRAWL_INTERVAL):
        return
    for site in product.store.sites.all():
        if site.paused or site.spider or site.due - now < MIN_TIME_TO_CRAWL:
            continue
        if not _is_recrawl_wanted(product, site, now):
            continue
        with suppress(Conflict, NotFound):
            start_crawl(product, Subject(SubjectKind.SITE, site.id), due=now, recrawl=True)


def recrawl_job(product: Product, job: CrawlJob, site: Site) -> CrawlJob:
    """Return the job of a recrawl: the due pages, and new pages that they link to."""
    pages = _due_urls(product, site, product.now(), MAX_RECRAWL_PAGES)
    return replace(job, start_urls=tuple(pages) or job.start_urls[:1], max_depth=min(job.max_depth, 1))


def _is_recrawl_wanted(product: Product, site: Site, now: datetime) -> bool:
    if product.store.pages.due_recrawls(site.id, now, 1, below=site.interval_hours):
        return True
    # The claim limits the requests to a server that does not respond.
    return bool(_pursued_urls(product, site, now)) and product.store.marks.claim(
        f"pursued:{site.id}", now, RETRY_INTERVAL
    )


def _due_urls(product: Product, site: Site, now: datetime, limit: int) -> list[str]:
    pursued = _pursued_urls(product, site, now)
    changing = product.store.pages.due_recrawls(site.id, now, limit, below=site.interval_hours)
    return list(dict.fromkeys([*pursued, *changing]))[:limit]


def _pursued_urls(product: Product, site: Site, now: datetime) -> list[str]:
    """Return the URLs of pages of pursued cases not fetched for a day, least recently fetched first."""
    urls = (
        product.store.cases.find(status=status, hosts=site.hosts, present=True, limit=MAX_RECRAWL_PAGES)
        for status in PURSUED_STATUSES
    )
    pages = product.store.pages.many({case.page_id for cases in urls for case in cases}).values()
    waiting = [page for page in pages if page.capture.fetched_at <= now - PURSUED_INTERVAL]
    return [page.url for page in sorted(waiting, key=lambda page: page.capture.fetched_at)]
