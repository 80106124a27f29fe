"""Write workbooks, and the report as a workbook."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import BytesIO
from math import ceil
from typing import Any, Final

import xlsxwriter

from wenhen.kit.clock import CHINA
from wenhen.kit.errors import TooLarge
from wenhen.kit.text import replace_illegal_xml
from wenhen.reports.columns import (
    CASE_COLUMNS,
    EVIDENCE_COLUMNS,
    OVERVIEW_COLUMNS,
    PASSAGE_COLUMNS,
    PLAIN_TEXT_OPTIONS,
    Column,
    Mark,
    MarkedText,
    Row,
    Value,
    cell_text,
    in_both_languages,
    named_in_both,
)
from wenhen.reports.model import Report
from wenhen.reports.passages import is_sheet_marked, sheet_parts
from wenhen.reports.phrases import filter_line, note_lines

# Common format of all worksheets: plain cells, one format per kind of value, bilingual headings.


MAX_ROWS: Final = 1_048_576  # of a worksheet
_LINE_HEIGHT_POINTS: Final = 15  # points
_MAX_ROW_HEIGHT_POINTS: Final = 409  # maximum row height in Excel
_MAX_MEASURED_CHARACTERS: Final = 4_000  # characters considered for the row height
_TIME_WIDTH_CHARACTERS: Final = 26  # width of a time with its zone
_CELL_FONT: Final = {"font_name": "Noto Sans CJK SC", "font_size": 10}


def new_workbook(buffer: BytesIO, title: str, created: datetime, *, flat: bool = False) -> Any:
    """Create a workbook in which external text never becomes a formula or link.

    title: key in the catalogue.
    flat: write each row to a file when the next one starts, so that memory is bounded. Repeated strings are then stored
    repeatedly.
    """
    options = {"constant_memory" if flat else "in_memory": True, **PLAIN_TEXT_OPTIONS}
    book = xlsxwriter.Workbook(buffer, options)
    book.set_properties({"title": in_both_languages(title), "created": to_local_time(created)})
    return book


def to_local_time(moment: datetime) -> datetime:
    """Return Beijing time without a zone, which Excel cannot store. The cell format names the zone."""
    return moment.astimezone(CHINA).replace(tzinfo=None, microsecond=0)


def add_sheet(book: Any, key: str) -> Any:
    """Add a landscape A4 worksheet, named by a key of the catalogue."""
    sheet = book.add_worksheet(in_both_languages(key))
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&A&R&P / &N")
    sheet.hide_gridlines(2)
    return sheet


def cell_formats(book: Any) -> dict[str, Any]:
    """Return the cell formats by the name that columns use."""
    base = {**_CELL_FONT, "valign": "top", "bottom": 4, "bottom_color": "#C9C3B6"}
    return {
        "text": book.add_format({**base, "text_wrap": True}),
        "count": book.add_format({**base, "num_format": "#,##0"}),
        "money": book.add_format({**base, "num_format": "#,##0.00"}),
        "number": book.add_format({**base, "num_format": "#,##0.0"}),
        "share": book.add_format({**base, "num_format": "0.0%"}),
        "time": book.add_format({**base, "num_format": 'yyyy-mm-dd hh:mm:ss "UTC+8"'}),
        "day": book.add_format({**base, "num_format": "yyyy-mm-dd"}),
        "digest": book.add_format({**base, "font_name": "Consolas", "font_size": 8, "text_wrap": True}),
        "heading": book.add_format({**base, "bold": True, "text_wrap": True, "bg_color": "#F1ECE2", "bottom": 1}),
        # Runs of a marked passage, distinguishable without colour.
        Mark.SAME: book.add_format(_CELL_FONT),
        Mark.SOUND: book.add_format({**_CELL_FONT, "italic": True}),
        Mark.REPLACED: book.add_format({**_CELL_FONT, "bold": True, "underline": 1}),
        Mark.ADDED: book.add_format({**_CELL_FONT, "bold": True, "underline": 2}),
        Mark.LEFT_OUT: book.add_format({**_CELL_FONT, "font_strikeout": True}),
        "title": book.add_format({"font_name": "Noto Sans CJK SC", "font_size": 16, "bold": True}),
    }


def write_cell(sheet: Any, looks: dict[str, Any], row: int, column: int, value: Value, look: str) -> None:
    """Write a cell with one of the formats."""
    if value is None:
        sheet.write_blank(row, column, None, looks[look])
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, to_local_time(value), looks[look])
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value, looks["day"])
    elif isinstance(value, str):
        sheet.write_string(row, column, cell_text(value), looks[look])
    elif isinstance(value, tuple):
        _write_marked_cell(sheet, looks, row, column, value, look)
    else:
        sheet.write_number(row, column, value, looks[look])


def _write_marked_cell(sheet: Any, looks: dict[str, Any], row: int, column: int, runs: MarkedText, look: str) -> None:
    """Write a cell with formatted runs. A single run is written as plain text, because Excel requires it."""
    if len(runs) < 2:
        sheet.write_string(row, column, cell_text("".join(run.text for run in runs)), looks[look])
        return
    parts = [part for run in runs for part in (looks[run.mark], replace_illegal_xml(run.text))]
    sheet.write_rich_string(row, column, *parts, looks[look])


def write_facts(sheet: Any, looks: dict[str, Any], title: str, facts: Iterable[tuple[str, Value, str]]) -> int:
    """Write a title and below it one fact per row, and return the last row, counted from 0.

    title: key in the catalogue.
    facts: tuples of name, value and format name.
    """
    sheet.write_string(0, 0, in_both_languages(title), looks["title"])
    row = 1
    for row, (name, value, look) in enumerate(facts, 2):
        write_cell(sheet, looks, row, 0, name, "heading")
        write_cell(sheet, looks, row, 1, value, look)
    return row


def fit_row_height(sheet: Any, row: int, texts: Iterable[tuple[Value, float]]) -> None:
    """Set the row height for texts in columns of these widths, because not every program does this itself.

    Rows of a flat workbook are unchanged, because heights would stay in memory.
    """
    if sheet.constant_memory:
        return
    lines = max((_count_lines(value, width) for value, width in texts), default=1)
    if lines > 1:
        sheet.set_row(row, min(lines * _LINE_HEIGHT_POINTS, _MAX_ROW_HEIGHT_POINTS))


def _count_lines(value: Value, width: float) -> int:
    """Return an estimate of the number of lines. Programs break lines differently."""
    text = "".join(run.text for run in value) if isinstance(value, tuple) else value
    if not isinstance(text, str):
        return 1
    return sum(
        ceil(max(1, len(line) * (1 if line.isascii() else 2)) / width)
        for line in text[:_MAX_MEASURED_CHARACTERS].split("\n")
    )


def write_table(sheet: Any, looks: dict[str, Any], columns: Sequence[Column[Row]], rows: Iterable[Row]) -> None:
    """Write headings and rows with a filter. Raises `TooLarge` if a worksheet cannot hold them."""
    widths = [max(column.width, _TIME_WIDTH_CHARACTERS if column.look == "time" else 0) for column in columns]
    sheet.set_row(0, 2 * _LINE_HEIGHT_POINTS)
    for position, (column, width) in enumerate(zip(columns, widths, strict=True)):
        sheet.set_column(position, position, width)
        write_cell(sheet, looks, 0, position, in_both_languages(column.heading), "heading")
    number = 0
    for number, row in enumerate(rows, 1):
        if number >= MAX_ROWS:
            raise TooLarge("reports.too_many_rows", rows=f"{MAX_ROWS:,}")
        values = [column.get(row) for column in columns]
        fit_row_height(sheet, number, zip(values, widths, strict=True))
        for position, (column, value) in enumerate(zip(columns, values, strict=True)):
            write_cell(sheet, looks, number, position, value, column.look)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, number, len(columns) - 1)


# The report as a workbook with the sheets 汇总, 一览, 案件, 片段, 证据, 说明.


_NOTE_WIDTH: Final = 100  # characters per line of notes
MAX_ROWS_IN_MEMORY: Final = 20_000  # cases and passages up to which the workbook is created in memory


def to_excel(report: Report) -> bytes:
    """Return the workbook. Equal reports give equal bytes. Raises `TooLarge` if a worksheet cannot hold the rows."""
    buffer = BytesIO()
    rows = report.totals.cases + report.totals.passages
    book = new_workbook(buffer, "report.title", report.generated_at, flat=rows > MAX_ROWS_IN_MEMORY)
    looks = cell_formats(book)
    _write_summary(add_sheet(book, "report.sheet_summary"), looks, report)
    write_table(add_sheet(book, "report.sheet_overview"), looks, OVERVIEW_COLUMNS, report.cases)
    write_table(add_sheet(book, "report.sheet_cases"), looks, CASE_COLUMNS, report.cases)
    passages = sheet_parts(report.cases, marked=is_sheet_marked(report.totals.passages))
    write_table(add_sheet(book, "report.sheet_passages"), looks, PASSAGE_COLUMNS, passages)
    write_table(add_sheet(book, "report.sheet_evidence"), looks, EVIDENCE_COLUMNS, report.cases)
    _write_notes(add_sheet(book, "report.sheet_notes"), looks, report)
    book.close()
    return buffer.getvalue()


def _write_summary(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    totals = report.totals
    facts: list[tuple[str, Value, str]] = [
        (in_both_languages("report.holder"), "、".join(report.holders) or None, "text"),
        (in_both_languages("report.generated_at"), report.generated_at, "time"),
        (in_both_languages("report.chosen_by"), filter_line(report), "text"),
        (in_both_languages("report.total_cases"), totals.cases, "count"),
        *((f"　{named_in_both('status', status)}", count, "count") for status, count in totals.by_status.items()),
        *((f"　{named_in_both('level', level)}", count, "count") for level, count in totals.by_level.items()),
        (in_both_languages("report.total_works"), totals.works, "count"),
        (in_both_languages("report.total_hosts"), totals.hosts, "count"),
        (in_both_languages("report.total_passages"), totals.passages, "count"),
        (in_both_languages("report.total_characters"), totals.copied_characters, "count"),
    ]
    sheet.set_column(0, 0, 44)
    sheet.set_column(1, 1, 60)
    write_facts(sheet, looks, "report.title", facts)


def _write_notes(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    lines = note_lines(report, ("claim", "shares", "levels", "marks", "offsets", "digests", "times", "cells"))
    sheet.set_column(0, 0, _NOTE_WIDTH)
    sheet.write_string(0, 0, in_both_languages("report.sheet_notes"), looks["title"])
    for number, line in enumerate(lines, 2):
        fit_row_height(sheet, number, [(line, _NOTE_WIDTH)])
        write_cell(sheet, looks, number, 0, line, "text")
