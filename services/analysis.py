"""What the cases say over some days, gathered once for the screen, the printed page, the workbook and the API."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Final

from services.context import Product
from store.errors import BadInput
from store.records import (
    Bin,
    ChangeFigure,
    ChartPeriod,
    Delay,
    Level,
    Measure,
    Period,
    Scope,
    SiteFigure,
    TextFigures,
    WorkFigure,
)
from store.rules.cases.chart_periods import filled
from store.rules.china_time import beginning, day_of, ending

_AT_ONCE: Final = 4  # figures that are asked for
BINS: Final = 20
TOP: Final = 20
DAYS: Final = 90  # what is shown where no dates are given
LONGEST: Final[Mapping[ChartPeriod, int]] = {
    ChartPeriod.DAY: 92,
    ChartPeriod.WEEK: 92 * 7,
    ChartPeriod.MONTH: 92 * 30,
}  # days; more columns blur


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: the days (both included, of China), the pace of the chart over time, and the scope's rest."""

    first: date
    last: date
    pace: ChartPeriod
    host: str | None = None
    work_id: str | None = None
    level: Level | None = None
    confirmed: bool = False

    @property
    def scope(self) -> Scope:
        """The same for the store."""
        return Scope(
            since=beginning(self.first),
            until=ending(self.last),
            host=self.host,
            work_id=self.work_id,
            level=self.level,
            confirmed=self.confirmed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The figures that answer a question."""

    question: Question
    asked_at: datetime
    periods: list[Period]
    levels: Mapping[Level, int]
    changes: list[ChangeFigure]
    delays: list[Delay]
    shares: Mapping[Measure, list[Bin]]
    parts: list[int]
    sites: list[SiteFigure]
    works: list[WorkFigure]
    texts: TextFigures  # of all pages of these days, of one site where its host is asked for

    @property
    def copies(self) -> int:
        """Cases that count as copies."""
        return sum(self.levels.values())


def analyse(product: Product, question: Question) -> Analysis:
    """Ask the store for every figure, a few at a time: its server looks at them side by side."""
    figures, scope = product.store.figures, question.scope
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        # Those that take longest are asked first.
        copies = pool.submit(figures.of_copies, scope, BINS)
        changes = pool.submit(figures.changes, scope)
        sites = pool.submit(figures.sites, scope, TOP)
        works = pool.submit(figures.works, scope, TOP)
        texts = pool.submit(_texts, product, question)
        periods = pool.submit(figures.over_time, scope, question.pace)
    told = copies.result()
    return Analysis(
        question=question,
        asked_at=product.now(),
        periods=filled(periods.result(), question.pace, question.first, question.last),
        levels=told.levels,
        changes=changes.result(),
        delays=told.delays,
        shares=told.shares,
        parts=told.parts,
        sites=sites.result(),
        works=works.result(),
        texts=texts.result(),
    )


def _texts(product: Product, question: Question) -> TextFigures:
    """Whatever else is asked for, texts are counted by site and day alone."""
    store, host = product.store, question.host
    site = host and next((site.id for site in store.sites.all() if host in site.hosts), host)
    return store.text_tallies.figures(question.first, question.last, site=site, top=TOP)


def asking(
    product: Product,
    *,
    first: date | None = None,
    last: date | None = None,
    pace: ChartPeriod | None = None,
    host: str | None = None,
    work_id: str | None = None,
    level: Level | None = None,
    confirmed: bool = False,
) -> Question:
    """The question with what was not given filled in. BadInput: the first day is later than the last."""
    usual = last_days(day_of(product.now()))
    first, last = first or usual.first, last or usual.last
    if first > last:
        raise BadInput("analysis.days_turned", first=first.isoformat(), last=last.isoformat())
    return paced(
        Question(
            first=first,
            last=last,
            pace=pace or usual.pace,
            host=(host or "").strip().lower() or None,
            work_id=work_id or None,
            level=level,
            confirmed=confirmed,
        )
    )


def last_days(today: date, days: int = DAYS) -> Question:
    """The question about the last days, at the pace that gives a readable chart."""
    return paced(Question(first=today - timedelta(days=days - 1), last=today, pace=ChartPeriod.DAY))


def paced(question: Question) -> Question:
    """The same question at the least pace, from the one asked for, at which the columns can still be told apart."""
    paces = list(ChartPeriod)
    length = (question.last - question.first).days
    for pace in paces[paces.index(question.pace) :]:
        if length <= LONGEST[pace]:
            return replace(question, pace=pace)
    return replace(question, pace=ChartPeriod.MONTH)
