"""How a run ends: its last counts, and the problem of one to whose watched site no page came."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from crawler.crawl.address_counts import CrawlCounts
from crawler.crawl.canonical_addresses import canonical
from services.context import Product
from services.crawls.compared_with_last import differences
from store.errors import NotFound, WenhenError
from store.messages import Message
from store.records import Run, RunState, Site, Subject, SubjectKind
from store.records.upkeep.problem import CRAWL

AHEAD = timedelta(days=3660)  # of any look that is planned
NO_PAGE = Message("crawls.no_page")


def end(product: Product, run: Run, problem: Message | None = None) -> None:
    """End a run with the counts of all its crawlers; what it had still to fetch is forgotten. One of a watched site to
    which no page came, though it asked for some, has a problem.
    """
    counts = dict(run.counts)
    with suppress(WenhenError):  # the run ends all the same; its keys go away by themselves
        if told := product.frontier(run, None).end():
            counts = CrawlCounts.of(told).as_mapping()
    noticed = differences(product, product.store.runs.get(run.id), counts)
    product.store.runs.end(run.id, product.now(), counts, problem or _lack(product, run, counts), noticed)


def _lack(product: Product, run: Run, counts: Mapping[str, int]) -> Message | None:
    asked = counts.get("refused", 0) + counts.get("failed", 0)
    if counts.get("fetched") or not asked or run.recrawl or run.state is RunState.STOPPING:
        return None
    site = _watched(product, run.subject)
    return None if site is None or _nothing_was_due(product, run, site) else NO_PAGE


def _watched(product: Product, subject: Subject | None) -> Site | None:
    if subject is None or subject.kind is not SubjectKind.SITE:
        return None
    with suppress(NotFound):
        return product.store.sites.get(subject.id)
    return None


def _nothing_was_due(product: Product, run: Run, site: Site) -> bool:
    """Whether a run of the schedule found its start addresses, lists then, and every page that is known rests."""
    starts = {canonical(url) for url in site.start_urls}
    if run.due is None or product.store.problems.any_since(run.started_at, CRAWL, starts):
        return False
    now, looks = product.now(), product.store.pages.due_recrawls
    return bool(looks(site.id, now + AHEAD, 1)) and not looks(site.id, now, 1)
