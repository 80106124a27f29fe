"""Load the overview, analyse the cases of a period, and build the graph of works, clusters and sites."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from matcher.attribution.calibration import Threshold
from matcher.model import Level
from wenhen.analysis.model import (
    Bin,
    Carried,
    ChangeFigure,
    ChartPeriod,
    Delay,
    Measure,
    MoneyFigure,
    MonthFigure,
    Period,
    Scope,
    SiteFigure,
    WorkFigure,
    fill_periods,
)
from wenhen.cases.calibration import load_calibration_mark
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.service import find_removed_works
from wenhen.context.store_and_queue import RoughCount
from wenhen.context.use_cases import Product
from wenhen.crawls.model import Run, RunKind
from wenhen.kit.clock import china_day, end_of_day, start_of_day
from wenhen.kit.errors import BadInput, Message, NotFound
from wenhen.pages.model import TextFigures
from wenhen.sites.model import Site
from wenhen.sites.service import find_named_host
from wenhen.steps.duties import scheduler_alarm
from wenhen.works.service import find_named_work

_MAX_PARALLEL_QUERIES: Final = 4  # queries
HISTOGRAM_BINS: Final = 20
MAX_RANKED: Final = 20
DEFAULT_DAYS: Final = 90  # days without given dates
MAX_DAYS_BY_PERIOD: Final[Mapping[ChartPeriod, int]] = {
    ChartPeriod.DAY: 92,
    ChartPeriod.WEEK: 92 * 7,
    ChartPeriod.MONTH: 92 * 30,
}  # days; more columns would be unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request: the days in China, both included, the period of the time chart, and the rest of the scope."""

    first: date
    last: date
    pace: ChartPeriod
    host: str | None = None
    work_id: str | None = None
    holder: str | None = None
    level: Level | None = None
    confirmed: bool = False
    person: str | None = None  # whose decisions the table of months counts

    @property
    def scope(self) -> Scope:
        """Return the scope for the store."""
        return Scope(
            since=start_of_day(self.first),
            until=end_of_day(self.last),
            host=self.host,
            work_id=self.work_id,
            holder=self.holder,
            level=self.level,
            confirmed=self.confirmed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The figures that answer a request."""

    question: Question
    asked_at: datetime
    periods: list[Period]
    months: list[MonthFigure]
    money: list[MoneyFigure]  # of amounts of these days
    levels: Mapping[Level, int]
    changes: list[ChangeFigure]
    delays: list[Delay]
    shares: Mapping[Measure, list[Bin]]
    parts: list[int]
    sites: list[SiteFigure]
    works: list[WorkFigure]
    texts: TextFigures  # of all pages of these days; of one site if a host is given

    @property
    def copies(self) -> int:
        """Return the number of cases that count as copies."""
        return sum(self.levels.values())


def analyse_cases(product: Product, question: Question) -> Analysis:
    """Load all figures from the store, with a few parallel queries."""
    figures, scope = product.store.figures, question.scope
    with ThreadPoolExecutor(_MAX_PARALLEL_QUERIES) as pool:
        # The slowest queries are started first.
        copies = pool.submit(figures.of_copies, scope, HISTOGRAM_BINS)
        changes = pool.submit(figures.changes, scope)
        sites = pool.submit(figures.sites, scope, MAX_RANKED)
        works = pool.submit(figures.works, scope, MAX_RANKED)
        texts = pool.submit(_text_figures, product, question)
        periods = pool.submit(figures.over_time, scope, question.pace)
        months = pool.submit(figures.months, scope, question.person)
        money = pool.submit(figures.money, scope, question.person)
    copies_result = copies.result()
    return Analysis(
        question=question,
        asked_at=product.now(),
        periods=fill_periods(periods.result(), question.pace, question.first, question.last),
        months=months.result(),
        money=money.result(),
        levels=copies_result.levels,
        changes=changes.result(),
        delays=copies_result.delays,
        shares=copies_result.shares,
        parts=copies_result.parts,
        sites=sites.result(),
        works=works.result(),
        texts=texts.result(),
    )


def _text_figures(product: Product, question: Question) -> TextFigures:
    """Return text figures, which are only stored by site and day; other conditions are ignored."""
    store, host = product.store, question.host
    site = host and next((site.id for site in store.sites.all() if host in site.hosts), host)
    return store.text_tallies.figures(question.first, question.last, site=site, top=MAX_RANKED)


def make_question(
    product: Product,
    *,
    first: date | None = None,
    last: date | None = None,
    pace: ChartPeriod | None = None,
    host: str | None = None,
    work_id: str | None = None,
    holder: str | None = None,
    level: Level | None = None,
    confirmed: bool = False,
    person: str | None = None,
) -> Question:
    """Make a request, with defaults for what is not given. Raises BadInput if the first day is after the last."""
    usual = recent_days_question(china_day(product.now()))
    first, last = first or usual.first, last or usual.last
    if first > last:
        raise BadInput("analysis.days_turned", first=first.isoformat(), last=last.isoformat())
    return with_readable_period(
        Question(
            first=first,
            last=last,
            pace=pace or usual.pace,
            host=find_named_host(product, host) if host and host.strip() else None,
            work_id=_named_work_id(product, work_id) if work_id else None,
            holder=(holder or "").strip() or None,
            level=level,
            confirmed=confirmed,
            person=(person or "").strip() or None,
        )
    )


def _named_work_id(product: Product, reference: str) -> str:
    """Return the id of the work with this id or title; what names none or several as it is, which no case has."""
    try:
        return find_named_work(product, reference).id
    except (BadInput, NotFound):
        return reference


def recent_days_question(today: date, days: int = DEFAULT_DAYS) -> Question:
    """Return the request for the last days, with a period that gives a readable chart."""
    return with_readable_period(Question(first=today - timedelta(days=days - 1), last=today, pace=ChartPeriod.DAY))


def with_readable_period(question: Question) -> Question:
    """Return the request with the shortest period, from the given one on, whose columns are readable."""
    paces = list(ChartPeriod)
    length = (question.last - question.first).days
    for pace in paces[paces.index(question.pace) :]:
        if length <= MAX_DAYS_BY_PERIOD[pace]:
            return replace(question, pace=pace)
    return replace(question, pace=ChartPeriod.MONTH)


# The copy map: a graph of works, clusters of near-duplicate copies, and the sites that carry them.


MAX_COPY_MAP_EDGES: Final = 200  # edges between works and sites; more would hide each other


class NodeKind(StrEnum):
    """The kinds of nodes of the map."""

    WORK = "work"
    CLUSTER = "cluster"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Node:
    """A node. key: id of a work or cluster, or a host. copies: number of copies through it."""

    kind: NodeKind
    key: str
    title: str
    copies: int


@dataclass(frozen=True, slots=True)
class Edge:
    """The number of copies from one node to another: from a work to a cluster or host, or from a cluster to a host."""

    source: tuple[NodeKind, str]
    target: tuple[NodeKind, str]
    copies: int


@dataclass(frozen=True, slots=True)
class CopyMap:
    """The map, and the data that it was made from. full: edges were left out."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]
    carried: Sequence[Carried]
    titles: dict[str, str]
    full: bool


def build_copy_map(product: Product, question: Question) -> CopyMap:
    """Build the map of the cases of a request."""
    carried = product.store.figures.hosts_of_works(question.scope, MAX_COPY_MAP_EDGES + 1)
    shown = carried[:MAX_COPY_MAP_EDGES]
    works = product.store.works.many({group.work_id for group in shown})
    titles = {group.work_id: works[group.work_id].title if group.work_id in works else group.work_id for group in shown}
    edges = _build_edges(shown)
    return CopyMap(_build_nodes(edges, titles), edges, shown, titles, len(carried) > MAX_COPY_MAP_EDGES)


def _build_edges(carried: Sequence[Carried]) -> list[Edge]:
    """Build the edges. A cluster gets a node only if several hosts carry its pages."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for group in carried:
        if group.cluster_id:
            hosts[group.cluster_id].add(group.host)
    counted: Counter[tuple[tuple[NodeKind, str], tuple[NodeKind, str]]] = Counter()
    for group in carried:
        work, host = (NodeKind.WORK, group.work_id), (NodeKind.HOST, group.host)
        if group.cluster_id and len(hosts[group.cluster_id]) > 1:
            cluster = (NodeKind.CLUSTER, group.cluster_id)
            counted[work, cluster] += group.copies
            counted[cluster, host] += group.copies
        else:
            counted[work, host] += group.copies
    return [Edge(source, target, copies) for (source, target), copies in counted.items()]


def _build_nodes(edges: Sequence[Edge], titles: dict[str, str]) -> list[Node]:
    copies: Counter[tuple[NodeKind, str]] = Counter()
    for edge in edges:
        copies[edge.target] += edge.copies
        if edge.source[0] is NodeKind.WORK:
            copies[edge.source] += edge.copies
    return [Node(kind, key, titles.get(key, key), count) for (kind, key), count in copies.items()]


# The overview: waiting cases, charts, rankings, newest leads and health.


_MAX_OVERVIEW_RANKED: Final = 8
_MAX_OVERVIEW_NEWEST: Final = 6
_OVERVIEW_CHART_DAYS: Final = 30


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
    figures, question = product.store.figures, recent_days_question(today, _OVERVIEW_CHART_DAYS)
    points = figures.over_time(question.scope, question.pace)
    return Charts(
        periods=fill_periods(points, question.pace, question.first, question.last),
        shares=figures.shares_of_page(CaseStatus.LEAD, HISTOGRAM_BINS),
    )


def _load_rankings(product: Product) -> Rankings:
    figures = product.store.figures
    return Rankings(works=figures.works(Scope(), _MAX_OVERVIEW_RANKED), hosts=figures.hosts(_MAX_OVERVIEW_RANKED))


def _load_newest(product: Product) -> Newest:
    runs = product.store.runs
    leads = product.store.cases.find(status=CaseStatus.LEAD, limit=_MAX_OVERVIEW_NEWEST)
    return Newest(
        leads=leads,
        removed=find_removed_works(product, leads),
        runs=runs.recent(limit=_MAX_OVERVIEW_NEWEST),
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
