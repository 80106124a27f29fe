"""How the watched sites stand: their last crawl, why one gave nothing, and the copies found on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from crawler.crawl.address_counts import MEANT
from crawler.crawl.canonical_addresses import canonical
from crawler.crawl.miss_reasons import Reason
from services.context import Product
from services.crawls.end_of_run import NO_PAGE
from store.messages import Message
from store.records import HostTrend, Run, RunState, Site
from store.records.upkeep.problem import CRAWL

WEEKS: Final = 8  # of a trend
_MISSED: Final = ("refused_", "failed_")


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why a crawl gave no page. why: a word of `Reason`, a kind of soft block or http_403, for which there is advice;
    None where only the run's own problem is known. said: of a start address, what happened there.
    """

    why: str | None
    said: Message | None


@dataclass(frozen=True, slots=True)
class SiteStanding:
    """One site. trend: of its hosts together, the newest week last."""

    run: Run | None
    nothing: Nothing | None
    trend: HostTrend


def standings(product: Product, sites: Sequence[Site]) -> dict[str, SiteStanding]:
    """How each of these sites stands, by id."""
    store, now = product.store, product.now()
    runs = store.runs.many([site.last_run_id for site in sites if site.last_run_id])
    bounds = [now - timedelta(weeks=weeks) for weeks in range(WEEKS, 0, -1)]
    trends = store.figures.trends({host for site in sites for host in site.hosts}, bounds)
    return {
        site.id: SiteStanding(
            run=(run := runs.get(site.last_run_id or "")),
            nothing=None if run is None else why_nothing(product, site, run),
            trend=HostTrend.together([trends[host] for host in site.hosts if host in trends], WEEKS),
        )
        for site in sites
    }


def why_nothing(product: Product, site: Site, run: Run) -> Nothing | None:
    """Why an ended crawl of a site gave no page; None where it gave some, or was stopped."""
    if run.ended_at is None or run.problem is None or run.state is RunState.STOPPING:
        return None
    if run.problem.code != NO_PAGE.code:
        return Nothing(None, run.problem)
    starts = {canonical(url) for url in site.start_urls}
    problem = product.store.problems.newest_of(CRAWL, starts)
    if problem is None:
        return Nothing(_most_frequent(run), None)
    return _nothing(problem.kind or _most_frequent(run), problem.reason)


def why_no_page(product: Product, run: Run) -> Nothing:
    """Why a run that ended with `NO_PAGE` got none, by what befell most of its addresses."""
    word = _most_frequent(run)
    kept = product.store.problems.of_run(run.id, 1, kind=word) if word else []
    return _nothing(word, kept[0].reason) if kept else Nothing(word, run.problem)


def _nothing(word: str | None, said: Message) -> Nothing:
    """word: that a crawl counts it by; a soft block is told by its kind."""
    return Nothing(said.code.removeprefix("soft_block.") if word == Reason.SOFT_BLOCK else word, said)


def _most_frequent(run: Run) -> str | None:
    counts = {
        word: count
        for name, count in run.counts.items()
        for outcome in _MISSED
        if (word := name.removeprefix(outcome)) != name and word not in MEANT
    }
    return max(counts, key=lambda word: counts[word], default=None)
