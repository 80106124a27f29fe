"""Summarize how watched sites stand: last crawl, reasons for missing pages, trend of copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from crawler.addresses import canonical_url
from crawler.skip_reasons import INTENDED_REASONS, SkipReason
from wenhen.analysis.model import HostTrend
from wenhen.crawls.model import Run, RunState
from wenhen.crawls.service import NO_PAGE_MESSAGE
from wenhen.kit.errors import Message
from wenhen.product.context import Product
from wenhen.sites.model import Site
from wenhen.steps.problems import CRAWL

TREND_WEEKS: Final = 8  # of a trend
_MISSED_PREFIXES: Final = ("refused_", "failed_")


@dataclass(frozen=True, slots=True)
class NoPageReason:
    """Why a crawl gave no page. why: a word of `SkipReason`, a kind of soft block or http_403, for which there is
    advice; None where only the run's own problem is known. said: of a start address, what happened there.
    """

    why: str | None
    said: Message | None


@dataclass(frozen=True, slots=True)
class SiteStanding:
    """One site. trend: of its hosts together, the newest week last."""

    run: Run | None
    nothing: NoPageReason | None
    trend: HostTrend


def site_standings(product: Product, sites: Sequence[Site]) -> dict[str, SiteStanding]:
    """How each of these sites stands, by id."""
    store, now = product.store, product.now()
    runs = store.runs.many([site.last_run_id for site in sites if site.last_run_id])
    bounds = [now - timedelta(weeks=weeks) for weeks in range(TREND_WEEKS, 0, -1)]
    trends = store.figures.trends({host for site in sites for host in site.hosts}, bounds)
    return {
        site.id: SiteStanding(
            run=(run := runs.get(site.last_run_id or "")),
            nothing=None if run is None else explain_empty_run(product, site, run),
            trend=HostTrend.together([trends[host] for host in site.hosts if host in trends], TREND_WEEKS),
        )
        for site in sites
    }


def explain_empty_run(product: Product, site: Site, run: Run) -> NoPageReason | None:
    """Why an ended crawl of a site gave no page; None where it gave some, or was stopped."""
    if run.ended_at is None or run.problem is None or run.state is RunState.STOPPING:
        return None
    if run.problem.code != NO_PAGE_MESSAGE.code:
        return NoPageReason(None, run.problem)
    starts = {canonical_url(url) for url in site.start_urls}
    problem = product.store.problems.newest_of(CRAWL, starts)
    if problem is None:
        return NoPageReason(_most_frequent_reason(run), None)
    return _make_reason(problem.kind or _most_frequent_reason(run), problem.reason)


def explain_no_page(product: Product, run: Run) -> NoPageReason:
    """Why a run that ended with `NO_PAGE_MESSAGE` got none, by what befell most of its addresses."""
    word = _most_frequent_reason(run)
    kept = product.store.problems.of_run(run.id, 1, kind=word) if word else []
    return _make_reason(word, kept[0].reason) if kept else NoPageReason(word, run.problem)


def _make_reason(word: str | None, sentence: Message) -> NoPageReason:
    """word: that a crawl counts it by; a soft block is told by its kind."""
    return NoPageReason(sentence.code.removeprefix("soft_block.") if word == SkipReason.SOFT_BLOCK else word, sentence)


def _most_frequent_reason(run: Run) -> str | None:
    counts = {
        word: count
        for name, count in run.counts.items()
        for outcome in _MISSED_PREFIXES
        if (word := name.removeprefix(outcome)) != name and word not in INTENDED_REASONS
    }
    return max(counts, key=lambda word: counts[word], default=None)
