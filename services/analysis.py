"""What the cases say over some days, gathered once for the screen, the printed page, the workbook and the API."""

from collections.abc import Mapping
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
    WorkFigure,
)
from store.rules.chart_periods import filled
from store.rules.china_time import beginning, day_of, ending

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
    levels: dict[Level, int]
    changes: list[ChangeFigure]
    delays: list[Delay]
    shares: dict[Measure, list[Bin]]
    parts: list[int]
    sites: list[SiteFigure]
    works: list[WorkFigure]

    @property
    def copies(self) -> int:
        """Cases that count as copies."""
        return sum(self.levels.values())


def analyse(product: Product, question: Question) -> Analysis:
    """Ask the store for every figure."""
    figures, scope = product.store.figures, question.scope
    periods = figures.over_time(scope, question.pace)
    return Analysis(
        question=question,
        asked_at=product.now(),
        periods=filled(periods, question.pace, question.first, question.last),
        levels=figures.levels(scope),
        changes=figures.changes(scope),
        delays=figures.delays(scope),
        shares={
            measure: figures.histogram(scope, measure, BINS)
            for measure in (Measure.SHARE_OF_PAGE, Measure.SHARE_OF_WORK, Measure.SIMILARITY)
        },
        parts=figures.parts(scope, BINS),
        sites=figures.sites(scope, TOP),
        works=figures.works(scope, TOP),
    )


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
