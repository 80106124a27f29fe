"""The first look of a day: what waits, how the cases went, how alike the copies are, who copies most, what ran last."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Final

from matcher.verdict.false_alarms import Threshold
from pipeline.matching.calibration_mark import last_calibration
from services.analysis import BINS, last_days
from services.cases.removed_works import removed_works
from services.context import Product
from services.upkeep import clock
from store.messages import Message
from store.records import Bin, Case, CaseStatus, Period, RoughCount, Run, RunKind, Scope, Site, WorkFigure
from store.rules.cases.chart_periods import filled
from store.rules.china_time import beginning, day_of

_AT_ONCE: Final = 4  # figures that are asked for
_TOP: Final = 8
_NEWEST: Final = 6
_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The figures of the first screen. Days are those of China."""

    today: date
    alarm: Message | None  # the clock stands still
    by_status: Mapping[CaseStatus, int]
    opened_today: int
    vanished: int  # copies that are gone, to be confirmed
    returned: int  # copies that are there again
    certain: int  # leads above the calibrated threshold
    works: int
    pages: RoughCount
    problems: int  # that a person has to do something about
    periods: Sequence[Period]
    shares: Sequence[Bin]  # of the leads' pages
    thresholds: tuple[Threshold, Threshold] | None  # None before the first calibration
    top_works: Sequence[WorkFigure]
    top_hosts: Sequence[tuple[str, int]]
    newest: Sequence[Case]
    removed: frozenset[str]  # works of the newest cases that are no longer in the library
    runs: Sequence[Run]
    last_crawl: Run | None
    sites: Sequence[Site]


def overview(product: Product) -> Overview:
    """Ask the store for every figure, a few at a time: its server looks at them side by side. Raises `Unavailable`."""
    store, today = product.store, day_of(product.now())
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # Those that take longest are asked first.
        shares = pool.submit(store.figures.shares_of_page, CaseStatus.LEAD, BINS)
        top_works = pool.submit(store.figures.works, Scope(), _TOP)
        periods = pool.submit(_periods, product, today)
        pages = pool.submit(store.pages.counted)
        by_status = pool.submit(store.cases.count_by_status)
        top_hosts = pool.submit(store.figures.hosts, _TOP)
        newest = pool.submit(_newest, product)
        returned = pool.submit(store.cases.count, returned=True)
        vanished = pool.submit(store.cases.count, removal=True)
        alarm = pool.submit(clock.alarm, product)
        works = pool.submit(store.works.count)
        certain = pool.submit(
            store.cases.count, status=CaseStatus.LEAD, score_from=product.settings.matcher.certain_score
        )
        opened_today = pool.submit(store.cases.count, since=beginning(today))
        problems = pool.submit(store.problems.count, to_do=True)
        runs = pool.submit(store.runs.recent, limit=_NEWEST)
        last_crawl = pool.submit(store.runs.recent, kind=RunKind.CRAWL, limit=1)
        sites = pool.submit(store.sites.all)
        calibration = pool.submit(last_calibration, store.marks)
    measured, (cases, removed) = calibration.result(), newest.result()
    return Overview(
        today=today,
        alarm=alarm.result(),
        by_status=by_status.result(),
        opened_today=opened_today.result(),
        vanished=vanished.result(),
        returned=returned.result(),
        certain=certain.result(),
        works=works.result(),
        pages=pages.result(),
        problems=problems.result(),
        periods=periods.result(),
        shares=shares.result(),
        thresholds=measured.thresholds if measured else None,
        top_works=top_works.result(),
        top_hosts=top_hosts.result(),
        newest=cases,
        removed=removed,
        runs=runs.result(),
        last_crawl=next(iter(last_crawl.result()), None),
        sites=sites.result(),
    )


def _periods(product: Product, today: date) -> list[Period]:
    question = last_days(today, _DAYS)
    found = product.store.figures.over_time(question.scope, question.pace)
    return filled(found, question.pace, question.first, question.last)


def _newest(product: Product) -> tuple[list[Case], frozenset[str]]:
    cases = product.store.cases.find(status=CaseStatus.LEAD, limit=_NEWEST)
    return cases, removed_works(product, cases)
