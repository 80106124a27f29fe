"""The first look of a day: what waits, how the cases went, how alike the copies are, who copies most, what ran last."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Final

from matcher.verdict.thresholds import Threshold
from pipeline.matching.calibration_mark import last_calibration
from services.analysis import BINS, last_days
from services.cases.removed_works import removed_works
from services.context import Product
from services.upkeep import clock_alarm
from store.messages import Message
from store.records import Bin, Case, CaseStatus, Period, RoughCount, Run, RunKind, Scope, Site, WorkFigure
from store.rules.cases.chart_periods import filled
from store.rules.china_time import beginning, day_of

_TOP: Final = 8
_NEWEST: Final = 6
_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """How many cases wait, and for what."""

    by_status: Mapping[CaseStatus, int]
    opened_today: int
    vanished: int  # copies that are gone, to be confirmed
    returned: int  # copies that are there again
    certain: int  # leads above the calibrated threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """How the cases went from day to day, and what share of their pages the leads copied."""

    periods: Sequence[Period]
    shares: Sequence[Bin]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rankings:
    """What is copied most, and who copies most."""

    works: Sequence[WorkFigure]
    hosts: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """The newest leads and runs. removed: works of these leads that are no longer in the library."""

    leads: Sequence[Case]
    removed: frozenset[str]
    runs: Sequence[Run]
    crawl: Run | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """What the store holds, and whether all goes on. problems: that a person has to do something about."""

    works: int
    pages: RoughCount
    sites: Sequence[Site]
    problems: int
    alarm: Message | None  # the clock stands still
    thresholds: tuple[Threshold, Threshold] | None  # None before the first calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The figures of the first screen; today is a day of China."""

    today: date
    counts: CaseCounts
    charts: Charts
    top: Rankings
    newest: Newest
    upkeep: Upkeep


def overview(product: Product) -> Overview:
    """Ask the store for every figure: its server looks at several side by side. Raises `Unavailable`."""
    today = day_of(product.now())
    with ThreadPoolExecutor() as pool:
        charts = pool.submit(_charts, product, today)
        counts = pool.submit(_case_counts, product, today)
        top = pool.submit(_rankings, product)
        upkeep = pool.submit(_upkeep, product)
        newest = pool.submit(_newest, product)
    return Overview(
        today=today,
        counts=counts.result(),
        charts=charts.result(),
        top=top.result(),
        newest=newest.result(),
        upkeep=upkeep.result(),
    )


def _case_counts(product: Product, today: date) -> CaseCounts:
    cases, certain = product.store.cases, product.settings.matcher.certain_score
    return CaseCounts(
        by_status=cases.count_by_status(),
        opened_today=cases.count(since=beginning(today)),
        vanished=cases.count(removal=True),
        returned=cases.count(returned=True),
        certain=cases.count(status=CaseStatus.LEAD, score_from=certain),
    )


def _charts(product: Product, today: date) -> Charts:
    figures, question = product.store.figures, last_days(today, _DAYS)
    found = figures.over_time(question.scope, question.pace)
    return Charts(
        periods=filled(found, question.pace, question.first, question.last),
        shares=figures.shares_of_page(CaseStatus.LEAD, BINS),
    )


def _rankings(product: Product) -> Rankings:
    figures = product.store.figures
    return Rankings(works=figures.works(Scope(), _TOP), hosts=figures.hosts(_TOP))


def _newest(product: Product) -> Newest:
    runs = product.store.runs
    leads = product.store.cases.find(status=CaseStatus.LEAD, limit=_NEWEST)
    return Newest(
        leads=leads,
        removed=removed_works(product, leads),
        runs=runs.recent(limit=_NEWEST),
        crawl=next(iter(runs.recent(kind=RunKind.CRAWL, limit=1)), None),
    )


def _upkeep(product: Product) -> Upkeep:
    store = product.store
    calibration = last_calibration(store.marks)
    return Upkeep(
        works=store.works.count(),
        pages=store.pages.counted(),
        sites=store.sites.all(),
        problems=store.problems.count(to_do=True),
        alarm=clock_alarm.alarm(product),
        thresholds=calibration.thresholds if calibration else None,
    )
