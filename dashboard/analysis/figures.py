"""Draw charts for pages, group text figures, and write the analysis workbook."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from crawler.addresses import host_in_both_forms
from dashboard.frame.context import t
from wenhen.analysis.model import (
    ChangeFigure,
    ChartPeriod,
    Delay,
    MoneyFigure,
    MonthFigure,
    Period,
    SiteFigure,
    WorkFigure,
    next_period_start,
    period_last_day,
    period_start,
)
from wenhen.analysis.service import Analysis, Question
from wenhen.cases.model import CaseStatus
from wenhen.pages.model import TextDay, TextFigures, TextSite
from wenhen.pages.rules import OTHER_GROUP, TEXT_LENGTH_GROUPS
from wenhen.reports.columns import Column, Row, Value, in_both_languages, named_in_both
from wenhen.reports.wording import group_digits
from wenhen.reports.xlsx import add_sheet, cell_formats, new_workbook, write_cell, write_facts, write_table

# Charts as plain geometry for templates. The server draws them, so they also work without script and in print.


CHART_HEIGHT: Final = 100.0  # height of the drawing, which the style sheet scales
ROUND_STEPS: Final = (1, 2, 3, 4, 5, 6, 8)  # upper limits of the axis that leave little of the chart empty


@dataclass(frozen=True, slots=True)
class ChartPart:
    """One segment of a stacked column, with its count and its offset from the top."""

    name: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """One column, with its position from the left, its label, and its segments from the bottom up."""

    x: int
    label: str
    total: int
    parts: tuple[ChartPart, ...]


@dataclass(frozen=True, slots=True)
class ColumnChart:
    """A chart of stacked columns. `top` is the rounded upper limit of its axis."""

    columns: tuple[ChartColumn, ...]
    names: tuple[str, ...]  # the kinds of segments that occur, in stacking order
    top: int

    def counts(self, name: str) -> list[int]:
        """Return the counts of one kind, one for each column."""
        return [sum(part.count for part in column.parts if part.name == name) for column in self.columns]


def stack_columns(rows: Sequence[tuple[str, Mapping[str, int]]], order: Sequence[str]) -> ColumnChart:
    """Build stacked columns from rows of (label, count by name).

    Segments are stacked in the given order. Names outside of it are ignored.
    """
    names = tuple(name for name in order if any(counts.get(name) for _, counts in rows))
    totals = [sum(counts.get(name, 0) for name in names) for _, counts in rows]
    top = round_up(max(totals, default=0))
    columns = tuple(
        ChartColumn(x, label, total, _stack_parts(counts, names, top))
        for x, ((label, counts), total) in enumerate(zip(rows, totals, strict=True))
    )
    return ColumnChart(columns, names, top)


def plain_columns(rows: Sequence[tuple[str, int]], name: str) -> ColumnChart:
    """Build columns with one kind of segment."""
    return stack_columns([(label, {name: count}) for label, count in rows], [name])


def cases_over_time(periods: Sequence[Period], pace: ChartPeriod) -> ColumnChart:
    """Chart the cases by the period in which they opened, and by status."""
    rows = [
        (_period_label(period.start, pace), {status.value: count for status, count in period.cases.items()})
        for period in periods
    ]
    return stack_columns(rows, [status.value for status in CaseStatus])


def _period_label(start: date, pace: ChartPeriod) -> str:
    return start.strftime("%Y-%m" if pace is ChartPeriod.MONTH else "%m-%d")


def round_up(most: int) -> int:
    """Return the smallest of 1, 2, 3, 4, 5, 6, 8, 10, 20, 30 … that is at least `most`.

    >>> [round_up(most) for most in (0, 1, 3, 7, 10, 11, 28, 480)]
    [1, 1, 3, 8, 10, 20, 30, 500]
    """
    scale = 1
    while True:
        for step in ROUND_STEPS:
            if step * scale >= most:
                return step * scale
        scale *= 10


def _stack_parts(counts: Mapping[str, int], names: Sequence[str], top: int) -> tuple[ChartPart, ...]:
    parts: list[ChartPart] = []
    y = CHART_HEIGHT
    for name in names:
        if count := counts.get(name, 0):
            height = CHART_HEIGHT * count / top
            y -= height
            parts.append(ChartPart(name, count, round(y, 3), round(height, 3)))
    return tuple(parts)


# Statistics of page texts: over time, and by length, language, script and charset.


TEXT_CHANGE_KINDS: Final = ("new", "changed")
_NAMED_GROUPS: Final = frozenset(("simplified", "traditional", "mixed", "zh", "en", "ja", "ko", OTHER_GROUP))
_LAST_LENGTH_BY_FIRST: Final = {low: above - 1 for low, above in pairwise(TEXT_LENGTH_GROUPS)}


class TextGroup(NamedTuple):
    """The counts of texts by one property. `kind` is the property's key in the catalogue."""

    kind: str
    rows: Sequence[tuple[str, int]]


def texts_over_time(question: Question, texts: TextFigures) -> ColumnChart:
    """Chart new and changed texts by the periods of the question."""
    sums: dict[date, Counter[str]] = {}
    for day in texts.days:
        sums.setdefault(period_start(day.day, question.pace), Counter()).update(new=day.new, changed=day.changed)
    start, rows = period_start(question.first, question.pace), []
    while start <= question.last:
        rows.append((_period_label(start, question.pace), sums.get(start, Counter())))
        start = next_period_start(start, question.pace)
    return stack_columns(rows, TEXT_CHANGE_KINDS)


def text_groups(texts: TextFigures) -> list[TextGroup]:
    """Group the texts by each property, with labels in the reader's language."""
    lengths = [(length_words(low), count) for low, count in texts.lengths.items()]
    return [
        TextGroup("length", lengths),
        TextGroup("language", _name_groups(texts.languages)),
        TextGroup("script", _name_groups(texts.scripts)),
        TextGroup("charset", _name_groups(texts.charsets)),
    ]


def length_words(low: int) -> str:
    """Return the label of a range of lengths by its lower bound."""
    return (
        f"{group_digits(low)}–{group_digits(_LAST_LENGTH_BY_FIRST[low])}"
        if low in _LAST_LENGTH_BY_FIRST
        else f"≥ {group_digits(low)}"
    )


def _name_groups(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [
        (t(f"written.{name or 'unknown'}") if name in {*_NAMED_GROUPS, ""} else name, count)
        for name, count in counts.items()
    ]


# The analysis as a workbook: one sheet for each figure of the screen, with native Excel charts beside the tables.


_CHART_SIZE: Final = {"width": 760, "height": 360}


def write_analysis_workbook(analysis: Analysis) -> bytes:
    """Write the workbook. The same analysis gives the same bytes."""
    buffer = BytesIO()
    book = new_workbook(buffer, "analysis.title", analysis.asked_at)
    looks = cell_formats(book)
    _write_question(add_sheet(book, "analysis.asked"), looks, analysis)
    _write_cases_over_time(book, looks, analysis)
    _write_months(book, looks, analysis)
    _write_money(book, looks, analysis)
    _write_counts(
        book,
        looks,
        "analysis.levels",
        "report.level",
        [(named_in_both("level", level), n) for level, n in analysis.levels.items()],
    )
    _write_changes(book, looks, analysis)
    _write_counts(
        book,
        looks,
        "analysis.delays",
        "analysis.delay",
        [(delay_heading(delay), delay.cases) for delay in analysis.delays],
    )
    for measure, bins in analysis.shares.items():
        rows = [(f"{bin.low:.0%}–{bin.high:.0%}", bin.cases) for bin in bins]
        _write_counts(book, looks, f"measure.{measure}", "analysis.part", rows)
    size = len(analysis.parts)
    parts = [(f"{part / size:.0%}–{(part + 1) / size:.0%}", count) for part, count in enumerate(analysis.parts)]
    _write_counts(book, looks, "analysis.parts", "analysis.part", parts)
    _write_sites(book, looks, analysis)
    _write_works(book, looks, analysis)
    _write_texts(book, looks, analysis)
    book.close()
    return buffer.getvalue()


def delay_heading(delay: Delay) -> str:
    """Return the label of a range of delays in both languages."""
    if delay.low is None:
        return in_both_languages("analysis.before")
    if delay.high is None:
        return f"{delay.low}+"
    last = delay.high - 1
    return f"{delay.low}–{last}" if last > delay.low else str(last)


def _write_question(sheet: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    question = analysis.question
    facts: list[tuple[str, Value, str]] = [
        ("report.generated_at", analysis.asked_at, "time"),
        ("analysis.since", question.first.isoformat(), "text"),
        ("analysis.until", question.last.isoformat(), "text"),
        ("report.page_host", host_in_both_forms(question.host) if question.host else None, "text"),
        ("case.work", question.work_id, "text"),
        ("report.holder", question.holder, "text"),
        ("report.level", named_in_both("level", question.level) if question.level else None, "text"),
        ("analysis.person", question.person, "text"),
        ("analysis.confirmed", in_both_languages("report.yes" if question.confirmed else "report.no"), "text"),
        ("analysis.copies", analysis.copies, "count"),
    ]
    sheet.set_column(0, 1, 40)
    last = write_facts(
        sheet, looks, "analysis.title", ((in_both_languages(key), value, look) for key, value, look in facts)
    )
    write_cell(sheet, looks, last + 2, 0, in_both_languages("analysis.note"), "text")


def _write_cases_over_time(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    statuses = _status_columns(analysis.periods, 14)
    pace = analysis.question.pace
    columns: list[Column[Period]] = [
        Column("analysis.first_day", lambda period: period.start.isoformat(), 12),
        Column("analysis.last_day", lambda period: period_last_day(period, pace).isoformat(), 12),
        *statuses,
    ]
    _write_sheet_table(book, looks, "analysis.over_time", columns, analysis.periods, drawn=statuses, stacked=True)


def _write_months(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[MonthFigure]] = [
        Column("analysis.month", lambda month: f"{month.month:%Y-%m}", 12),
        Column("analysis.found", lambda month: month.found, 12, "count"),
        Column("status.confirmed", lambda month: month.confirmed, 12, "count"),
        Column("status.notice_sent", lambda month: month.notice_sent, 12, "count"),
        Column("status.removed", lambda month: month.removed, 12, "count"),
        Column("analysis.days_to_confirmation", lambda month: month.days_to_confirmation, 14, "number"),
        Column("analysis.days_to_notice", lambda month: month.days_to_notice, 14, "number"),
        Column("analysis.days_to_removal", lambda month: month.days_to_removal, 14, "number"),
    ]
    _write_sheet_table(book, looks, "analysis.months", columns, analysis.months)


def _write_money(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[MoneyFigure]] = [
        Column("analysis.month", lambda sums: f"{sums.month:%Y-%m}", 12),
        Column("report.holder", lambda sums: sums.holder, 30),
        Column("money.currency", lambda sums: sums.currency, 10),
        Column("money.claimed", lambda sums: sums.claimed, 14, "money"),
        Column("money.offered", lambda sums: sums.offered, 14, "money"),
        Column("money.agreed", lambda sums: sums.agreed, 14, "money"),
        Column("money.paid", lambda sums: sums.paid, 14, "money"),
        Column("money.cost", lambda sums: sums.cost, 14, "money"),
    ]
    _write_sheet_table(book, looks, "money.title", columns, analysis.money)


def _write_counts(book: Any, looks: dict[str, Any], title: str, heading: str, rows: Sequence[tuple[str, int]]) -> None:
    copies: Column[tuple[str, int]] = Column("analysis.copies", lambda row: row[1], 12, "count")
    _write_sheet_table(book, looks, title, [Column(heading, lambda row: row[0], 24), copies], rows, drawn=[copies])


def _write_changes(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    passages: Column[ChangeFigure] = Column("report.passages", lambda change: change.passages, 12, "count")
    columns = [
        Column("analysis.change", lambda change: named_in_both("level", change.change), 24),
        passages,
        Column("analysis.characters", lambda change: change.characters, 16, "count"),
    ]
    _write_sheet_table(book, looks, "analysis.changes", columns, analysis.changes, drawn=[passages])


def _write_sites(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[SiteFigure]] = [
        Column("report.page_host", lambda site: host_in_both_forms(site.host), 30),
        *_status_columns(analysis.sites, 12),
        Column("analysis.gone", lambda site: site.gone, 12, "count"),
        Column("analysis.notices", lambda site: site.notices, 12, "count"),
        Column("analysis.days_to_removal", lambda site: site.days_to_removal, 14, "number"),
        Column("report.total_works", lambda site: site.works, 12, "count"),
        Column("analysis.mean_share", lambda site: site.mean_share_of_page, 14, "share"),
    ]
    _write_sheet_table(book, looks, "analysis.sites", columns, analysis.sites)


def _write_works(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[WorkFigure]] = [
        Column("report.work_title", lambda work: work.title, 40),
        Column("work.id", lambda work: work.work_id, 30),
        Column("analysis.copies", lambda work: work.cases, 12, "count"),
        Column("report.total_hosts", lambda work: work.hosts, 12, "count"),
        Column("analysis.largest_share", lambda work: work.largest_share, 16, "share"),
    ]
    _write_sheet_table(book, looks, "analysis.works", columns, analysis.works)


def _write_texts(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    new: Column[TextDay] = Column("texts.new", lambda day: day.new, 12, "count")
    changed: Column[TextDay] = Column("texts.changed", lambda day: day.changed, 12, "count")
    day: Column[TextDay] = Column("texts.day", lambda day: day.day.isoformat(), 12)
    _write_sheet_table(
        book, looks, "texts.title", [day, new, changed], analysis.texts.days, drawn=[new, changed], stacked=True
    )
    sites: list[Column[TextSite]] = [
        Column("texts.site", lambda day: day.site, 30),
        Column("texts.new", lambda day: day.new, 12, "count"),
        Column("texts.changed", lambda day: day.changed, 12, "count"),
    ]
    _write_sheet_table(book, looks, "texts.by_site", sites, analysis.texts.sites)
    groups: list[Column[tuple[str, str, int]]] = [
        Column("texts.property", lambda row: in_both_languages(f"written.by_{row[0]}"), 30),
        Column("texts.group", lambda row: row[1], 24),
        Column("texts.texts", lambda row: row[2], 12, "count"),
    ]
    rows = [(group.kind, words, count) for group in text_groups(analysis.texts) for words, count in group.rows]
    _write_sheet_table(book, looks, "texts.properties", groups, rows)


class _HasStatusCounts(Protocol):
    """A row with counts of cases by status."""

    @property
    def cases(self) -> Mapping[CaseStatus, int]: ...


StatusCounts = TypeVar("StatusCounts", bound=_HasStatusCounts)


def _status_columns(rows: Sequence[StatusCounts], width: float) -> list[Column[StatusCounts]]:
    """Return one column for each status that occurs."""

    def column(status: CaseStatus) -> Column[StatusCounts]:
        return Column(f"status.{status}", lambda row: row.cases.get(status, 0), width, "count")

    return [column(status) for status in CaseStatus if any(status in row.cases for row in rows)]


def _write_sheet_table(
    book: Any,
    looks: dict[str, Any],
    key: str,
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    *,
    drawn: Sequence[Column[Row]] = (),
    stacked: bool = False,
) -> None:
    """Add a sheet with a table, and with a chart of the columns in `drawn`."""
    sheet = add_sheet(book, key)
    write_table(sheet, looks, columns, rows)
    if rows and drawn:
        _add_excel_chart(book, sheet, len(rows), [columns.index(column) for column in drawn], stacked=stacked)


def _add_excel_chart(book: Any, sheet: Any, rows: int, columns: Sequence[int], *, stacked: bool) -> None:
    """Add a native Excel chart beside the table, so that it follows later edits of the table."""
    chart = book.add_chart({"type": "column", "subtype": "stacked"} if stacked else {"type": "column"})
    for column in columns:
        chart.add_series(
            {
                "name": [sheet.get_name(), 0, column],
                "categories": [sheet.get_name(), 1, 0, rows, 0],
                "values": [sheet.get_name(), 1, column, rows, column],
            }
        )
    if len(columns) == 1:
        chart.set_legend({"none": True})
    chart.set_size(_CHART_SIZE)
    sheet.insert_chart(1, columns[-1] + 2, chart)
