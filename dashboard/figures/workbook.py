"""The analysis as a workbook: one sheet a figure with the screen's numbers, and charts of Excel's own beside them."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any, Final

from dashboard.export.sheets import add_sheet, looks_of, new_book, write, write_table
from dashboard.export.tables import Column, Value, both, named
from services.analysis import Analysis
from store.records import CaseStatus, Delay
from store.rules.periods import last_day

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
    rows: list[tuple[str, Value, str]] = [
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
    sheet.write_string(0, 0, both("analysis.title"), looks["title"])
    for at, (key, value, look) in enumerate(rows, 2):
        write(sheet, looks, at, 0, both(key), "heading")
        write(sheet, looks, at, 1, value, look)
    write(sheet, looks, len(rows) + 3, 0, both("analysis.note"), "text")


def _over_time(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    statuses = [one for one in CaseStatus if any(one in period.cases for period in analysis.periods)]
    columns = [Column("analysis.first_day", 12), Column("analysis.last_day", 12)]
    columns += [Column(f"status.{one}", 14, "count") for one in statuses]
    rows: Iterable[Sequence[Value]] = (
        (
            one.start.isoformat(),
            last_day(one, analysis.question.pace).isoformat(),
            *(one.cases.get(status, 0) for status in statuses),
        )
        for one in analysis.periods
    )
    sheet = _sheet(book, looks, "analysis.over_time", columns, rows)
    _chart(book, sheet, len(analysis.periods), range(2, 2 + len(statuses)), stacked=True)


def _counts(book: Any, looks: dict[str, Any], title: str, heading: str, rows: Sequence[tuple[str, int]]) -> None:
    sheet = _sheet(book, looks, title, [Column(heading, 24), Column("analysis.copies", 12, "count")], rows)
    _chart(book, sheet, len(rows), range(1, 2))


def _changes(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns = [
        Column("analysis.change", 24),
        Column("report.passages", 12, "count"),
        Column("analysis.characters", 16, "count"),
    ]
    rows = [(named("level", one.change), one.passages, one.characters) for one in analysis.changes]
    _chart(book, _sheet(book, looks, "analysis.changes", columns, rows), len(rows), range(1, 2))


def _sites(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    statuses = [status for status in CaseStatus if any(status in one.cases for one in analysis.sites)]
    columns = [
        Column("report.page_host", 30),
        *(Column(f"status.{one}", 12, "count") for one in statuses),
        Column("analysis.gone", 12, "count"),
        Column("analysis.notices", 12, "count"),
        Column("analysis.days_to_removal", 14, "number"),
        Column("report.total_works", 12, "count"),
        Column("analysis.mean_share", 14, "share"),
    ]
    rows: list[Sequence[Value]] = [
        (
            one.host,
            *(one.cases.get(status, 0) for status in statuses),
            one.gone,
            one.notices,
            one.days_to_removal,
            one.works,
            one.mean_share_of_page,
        )
        for one in analysis.sites
    ]
    _sheet(book, looks, "analysis.sites", columns, rows)


def _works(book: Any, looks: dict[str, Any], analysis: Analysis) -> None:
    columns = [
        Column("report.work_title", 40),
        Column("work.id", 30),
        Column("analysis.copies", 12, "count"),
        Column("report.total_hosts", 12, "count"),
        Column("analysis.largest_share", 16, "share"),
    ]
    rows = [(one.title, one.work_id, one.cases, one.hosts, one.largest_share) for one in analysis.works]
    _sheet(book, looks, "analysis.works", columns, rows)


def _sheet(
    book: Any, looks: dict[str, Any], key: str, columns: Sequence[Column], rows: Iterable[Sequence[Value]]
) -> Any:
    sheet = add_sheet(book, key)
    write_table(sheet, looks, columns, rows)
    return sheet


def _chart(book: Any, sheet: Any, rows: int, columns: range, *, stacked: bool = False) -> None:
    """Columns of Excel's own beside the table, so that the figures can be drawn anew after editing."""
    if not rows or not columns:
        return
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
    sheet.insert_chart(1, columns.stop + 1, chart)
