"""The analysis as a workbook: one sheet a figure with the screen's numbers, and charts of Excel's own beside them."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Final, Protocol, TypeVar

from dashboard.export.sheets import add_sheet, looks_of, new_book, write, write_facts, write_table
from dashboard.export.workbook_column import Column, Row, Value, both, named
from dashboard.figures.text_figures import groups as text_groups
from services.analysis import Analysis
from store.records import CaseStatus, ChangeFigure, Delay, Period, SiteFigure, TextDay, TextSite, WorkFigure
from store.rules.cases.chart_periods import last_day

_CHART: Final = {"width": 760, "height": 360}


def to_excel(analysis: Analysis) -> bytes:
    """Write the workbook; the same analysis gives the same bytes."""
    buffer = BytesIO()
    book = new_book(buffer, "analysis.title", analysis.asked_at)
    looks = looks_of(book)
    _asked(add_sheet(book, "analysis.asked"), looks, analysis)
    _over_time(book, looks, analysis)
    _counts(
        book, looks, "analysis.levels", "report.level", [(named("level", one), n) for one, n in analysis.levels.items()]
    )
    _changes(book, looks, analysis)
    _counts(
        book, looks, "analysis.delays", "analysis.delay", [(delay_heading(one), one.cases) for one in analysis.delays]
    )
    for measure, bins in analysis.shares.items():
        rows = [(f"{one.low:.0%}–{one.high:.0%}", one.cases) for one in bins]
        _counts(book, looks, f"measure.{measure}", "analysis.part", rows)
    size = len(analysis.parts)
    parts = [(f"{at / size:.0%}–{(at + 1) / size:.0%}", count) for at, count in enumerate(analysis.parts)]
    _counts(book, looks, "analysis.parts", "analysis.part", parts)
    _sites(book, looks, analysis)
    _works(book, looks, analysis)
    _texts(book, looks, analysis)
    book.close()
    return buffer.getvalue()


def delay_heading(delay: Delay) -> str:
    """A group of delays in both languages."""
    if delay.low is None:
        return both("analysis.before")
    if delay.high is None:
        return f"{delay.low}+"
    last = delay.high - 1
    return f"{delay.low}–{last}" if last > delay.low else str(last)


def _asked(sheet: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    question = analysis.question
    facts: list[tuple[str, Value, str]] = [
        ("report.generated_at", analysis.asked_at, "time"),
        ("analysis.since", question.first.isoformat(), "text"),
        ("analysis.until", question.last.isoformat(), "text"),
        ("report.page_host", question.host, "text"),
        ("case.work", question.work_id, "text"),
        ("report.level", named("level", question.level) if question.level else None, "text"),
        ("analysis.confirmed", both("report.yes" if question.confirmed else "report.no"), "text"),
        ("analysis.copies", analysis.copies, "count"),
    ]
    sheet.set_column(0, 1, 40)
    last = write_facts(sheet, looks, "analysis.title", ((both(key), value, look) for key, value, look in facts))
    write(sheet, looks, last + 2, 0, both("analysis.note"), "text")


def _over_time(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    statuses = _of_statuses(analysis.periods, 14)
    pace = analysis.question.pace
    columns: list[Column[Period]] = [
        Column("analysis.first_day", lambda one: one.start.isoformat(), 12),
        Column("analysis.last_day", lambda one: last_day(one, pace).isoformat(), 12),
        *statuses,
    ]
    _table(book, looks, "analysis.over_time", columns, analysis.periods, drawn=statuses, stacked=True)


def _counts(book: Any, looks: dict[str, Any], title: str, heading: str, rows: Sequence[tuple[str, int]]) -> None:
    copies: Column[tuple[str, int]] = Column("analysis.copies", lambda row: row[1], 12, "count")
    _table(book, looks, title, [Column(heading, lambda row: row[0], 24), copies], rows, drawn=[copies])


def _changes(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    passages: Column[ChangeFigure] = Column("report.passages", lambda one: one.passages, 12, "count")
    columns = [
        Column("analysis.change", lambda one: named("level", one.change), 24),
        passages,
        Column("analysis.characters", lambda one: one.characters, 16, "count"),
    ]
    _table(book, looks, "analysis.changes", columns, analysis.changes, drawn=[passages])


def _sites(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[SiteFigure]] = [
        Column("report.page_host", lambda one: one.host, 30),
        *_of_statuses(analysis.sites, 12),
        Column("analysis.gone", lambda one: one.gone, 12, "count"),
        Column("analysis.notices", lambda one: one.notices, 12, "count"),
        Column("analysis.days_to_removal", lambda one: one.days_to_removal, 14, "number"),
        Column("report.total_works", lambda one: one.works, 12, "count"),
        Column("analysis.mean_share", lambda one: one.mean_share_of_page, 14, "share"),
    ]
    _table(book, looks, "analysis.sites", columns, analysis.sites)


def _works(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns: list[Column[WorkFigure]] = [
        Column("report.work_title", lambda one: one.title, 40),
        Column("work.id", lambda one: one.work_id, 30),
        Column("analysis.copies", lambda one: one.cases, 12, "count"),
        Column("report.total_hosts", lambda one: one.hosts, 12, "count"),
        Column("analysis.largest_share", lambda one: one.largest_share, 16, "share"),
    ]
    _table(book, looks, "analysis.works", columns, analysis.works)


def _texts(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    new: Column[TextDay] = Column("texts.new", lambda one: one.new, 12, "count")
    changed: Column[TextDay] = Column("texts.changed", lambda one: one.changed, 12, "count")
    day: Column[TextDay] = Column("texts.day", lambda one: one.day.isoformat(), 12)
    _table(book, looks, "texts.title", [day, new, changed], analysis.texts.days, drawn=[new, changed], stacked=True)
    sites: list[Column[TextSite]] = [
        Column("texts.site", lambda one: one.site, 30),
        Column("texts.new", lambda one: one.new, 12, "count"),
        Column("texts.changed", lambda one: one.changed, 12, "count"),
    ]
    _table(book, looks, "texts.by_site", sites, analysis.texts.sites)
    groups: list[Column[tuple[str, str, int]]] = [
        Column("texts.property", lambda row: both(f"written.by_{row[0]}"), 30),
        Column("texts.group", lambda row: row[1], 24),
        Column("texts.texts", lambda row: row[2], 12, "count"),
    ]
    rows = [(group.kind, words, count) for group in text_groups(analysis.texts) for words, count in group.rows]
    _table(book, looks, "texts.properties", groups, rows)


class _Counted(Protocol):
    """What has cases by status."""

    @property
    def cases(self) -> Mapping[CaseStatus, int]: ...


C = TypeVar("C", bound=_Counted)


def _of_statuses(rows: Sequence[C], width: float) -> list[Column[C]]:
    """A column for each status that occurs."""

    def column(status: CaseStatus) -> Column[C]:
        return Column(f"status.{status}", lambda row: row.cases.get(status, 0), width, "count")

    return [column(status) for status in CaseStatus if any(status in row.cases for row in rows)]


def _table(
    book: Any,
    looks: dict[str, Any],
    key: str,
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    *,
    drawn: Sequence[Column[Row]] = (),
    stacked: bool = False,
) -> None:
    """A sheet with a table, and a chart of the columns that are to be drawn."""
    sheet = add_sheet(book, key)
    write_table(sheet, looks, columns, rows)
    if rows and drawn:
        _chart(book, sheet, len(rows), [columns.index(one) for one in drawn], stacked=stacked)


def _chart(book: Any, sheet: Any, rows: int, columns: Sequence[int], *, stacked: bool) -> None:
    """Columns of Excel's own beside the table, so that the figures can be drawn anew after editing."""
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
    chart.set_size(_CHART)
    sheet.insert_chart(1, columns[-1] + 2, chart)
