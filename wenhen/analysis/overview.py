"""Load the overview: waiting cases, charts, rankings, newest leads and health."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import Final

from matcher.attribution.calibration import Threshold
from wenhen.analysis.model import Bin, Period, Scope, WorkFigure, fill_periods
from wenhen.analysis.service import HISTOGRAM_BINS, recent_days_question
from wenhen.cases.calibration import load_calibration_mark
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.service import find_removed_works
from wenhen.crawls.model import Run, RunKind
from wenhen.kit.clock import china_day, start_of_day
from wenhen.kit.errors import Message
from wenhen.product.context import Product
from wenhen.product.store import RoughCount
from wenhen.sites.model import Site
from wenhen.steps.duties import scheduler_alarm

_MAX_RANKED: Final = 8
_MAX_NEWEST: Final = 6
_CHART_DAYS: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCounts:
    """The number of waiting cases by reason."""

    by_status: Mapping[CaseStatus, int]
    opened_today: int
    vanished: int  # copies that are gone, to be confirmed
    returned: int  # copies that are present again
    certain: int  # leads above the calibrated threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """The cases by day, and the shares of pages that leads copied."""

    periods: Sequence[Period]
    shares: Sequence[Bin]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rankings:
    """The most copied works, and the hosts with the most copies."""

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
    """What the store holds, and the state of the system. problems: those that need a person."""

    works: int
    pages: RoughCount
    sites: Sequence[Site]
    problems: int
    alarm: Message | None  # set if the scheduler has stopped
    thresholds: tuple[Threshold, Threshold] | None  # None before the first calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The figures of the first screen. today: a day in China."""

    today: date
    counts: CaseCounts
    charts: Charts
    top: Rankings
    newest: Newest
    upkeep: Upkeep


def load_overview(product: Product) -> Overview:
    """Load all figures from the store with parallel queries. Raises `Unavailable`."""
    today = china_day(product.now())
    with ThreadPoolExecutor() as pool:
        charts = pool.submit(_load_charts, product, today)
        counts = pool.submit(_count_cases, product, today)
        top = pool.submit(_load_rankings, product)
        upkeep = pool.submit(_load_upkeep, product)
        newest = pool.submit(_load_newest, product)
    return Overview(
        today=today,
        counts=counts.result(),
        charts=charts.result(),
        top=top.result(),
        newest=newest.result(),
        upkeep=upkeep.result(),
    )


def _count_cases(product: Product, today: date) -> CaseCounts:
    cases, certain = product.store.cases, product.settings.matcher.certain_score
    return CaseCounts(
        by_status=cases.count_by_status(),
        opened_today=cases.count(since=start_of_day(today)),
        vanished=cases.count(removal=True),
        returned=cases.count(returned=True),
        certain=cases.count(status=CaseStatus.LEAD, score_from=certain),
    )


def _load_charts(product: Product, today: date) -> Charts:
    figures, question = product.store.figures, recent_days_question(today, _CHART_DAYS)
    points = figures.over_time(question.scope, question.pace)
    return Charts(
        periods=fill_periods(points, question.pace, question.first, question.last),
        shares=figures.shares_of_page(CaseStatus.LEAD, HISTOGRAM_BINS),
    )


def _load_rankings(product: Product) -> Rankings:
    figures = product.store.figures
    return Rankings(works=figures.works(Scope(), _MAX_RANKED), hosts=figures.hosts(_MAX_RANKED))


def _load_newest(product: Product) -> Newest:
    runs = product.store.runs
    leads = product.store.cases.find(status=CaseStatus.LEAD, limit=_MAX_NEWEST)
    return Newest(
        leads=leads,
        removed=find_removed_works(product, leads),
        runs=runs.recent(limit=_MAX_NEWEST),
        crawl=next(iter(runs.recent(kind=RunKind.CRAWL, limit=1)), None),
    )


def _load_upkeep(product: Product) -> Upkeep:
    store = product.store
    calibration = load_calibration_mark(store.marks)
    return Upkeep(
        works=store.works.count(),
        pages=store.pages.rough_count(),
        sites=store.sites.all(),
        problems=store.problems.count(to_do=True),
        alarm=scheduler_alarm(product),
        thresholds=calibration.thresholds if calibration else None,
    )
