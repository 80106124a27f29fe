"""The report as a workbook: 汇总, 案件, 片段, 证据, 说明."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from io import BytesIO
from typing import Any, Final

import xlsxwriter

from dashboard.display import BEIJING
from dashboard.export.cells import legal
from dashboard.export.report import Report
from dashboard.export.tables import (
    CASES,
    EVIDENCE,
    PASSAGES,
    Column,
    Value,
    both,
    case_row,
    evidence_row,
    named,
    passage_rows,
)
from dashboard.language import catalogue
from store.errors import TooLarge

_ROWS: Final = 1_048_576  # of a sheet


def to_excel(report: Report) -> bytes:
    """Write the workbook; the same report gives the same bytes. TooLarge when a sheet would not hold the rows."""
    buffer = BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    book = xlsxwriter.Workbook(buffer, options)
    book.set_properties({"title": both("report.title"), "created": _local(report.generated_at)})
    looks = _looks(book)
    _summary(_sheet(book, "summary"), looks, report)
    _table(_sheet(book, "cases"), looks, CASES, map(case_row, report.cases))
    _table(_sheet(book, "passages"), looks, PASSAGES, passage_rows(report.cases))
    _table(_sheet(book, "evidence"), looks, EVIDENCE, map(evidence_row, report.cases))
    _notes(_sheet(book, "notes"), looks, report)
    book.close()
    return buffer.getvalue()


def _local(at: datetime) -> datetime:
    """Beijing time without its zone, which Excel cannot hold; the headings name it."""
    return at.astimezone(BEIJING).replace(tzinfo=None, microsecond=0)


def _sheet(book: Any, name: str) -> Any:
    sheet = book.add_worksheet(both(f"report.sheet_{name}"))
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.hide_gridlines(2)
    return sheet


def _looks(book: Any) -> dict[str, Any]:
    base = {"font_name": "Noto Sans CJK SC", "font_size": 10, "valign": "top", "bottom": 4, "bottom_color": "#C9C3B6"}
    return {
        "text": book.add_format({**base, "text_wrap": True}),
        "count": book.add_format({**base, "num_format": "#,##0"}),
        "share": book.add_format({**base, "num_format": "0.0%"}),
        "time": book.add_format({**base, "num_format": "yyyy-mm-dd hh:mm:ss"}),
        "digest": book.add_format({**base, "font_name": "Consolas", "font_size": 8, "text_wrap": True}),
        "heading": book.add_format({**base, "bold": True, "text_wrap": True, "bg_color": "#F1ECE2", "bottom": 1}),
        "title": book.add_format({"font_name": "Noto Sans CJK SC", "font_size": 16, "bold": True}),
    }


def _write(sheet: Any, looks: dict[str, Any], row: int, column: int, value: Value, look: str) -> None:
    if value is None:
        sheet.write_blank(row, column, None, looks[look])
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, _local(value), looks[look])
    elif isinstance(value, str):
        sheet.write_string(row, column, legal(value), looks[look])
    else:
        sheet.write_number(row, column, value, looks[look])


def _table(sheet: Any, looks: dict[str, Any], columns: Sequence[Column], rows: Iterable[Sequence[Value]]) -> None:
    for at, column in enumerate(columns):
        sheet.set_column(at, at, column.width)
        _write(sheet, looks, 0, at, both(column.heading), "heading")
    number = 0
    for number, row in enumerate(rows, 1):
        if number >= _ROWS:
            raise TooLarge(f"the report needs more than {_ROWS:,} rows in a sheet; choose fewer cases with a filter")
        for at, (value, column) in enumerate(zip(row, columns, strict=True)):
            _write(sheet, looks, number, at, value, column.look)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, number, len(columns) - 1)


def _summary(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    totals = report.totals
    rows: list[tuple[str, Value, str]] = [
        (both("report.holder"), "、".join(report.holders) or None, "text"),
        (both("report.generated_at"), report.generated_at, "time"),
        (both("report.chosen_by"), "; ".join(f"{k} = {v}" for k, v in report.chosen_by.items()) or None, "text"),
        (both("report.total_cases"), totals.cases, "count"),
        *((f"　{named('status', status)}", count, "count") for status, count in totals.by_status.items()),
        *((f"　{named('level', level)}", count, "count") for level, count in totals.by_level.items()),
        (both("report.total_works"), totals.works, "count"),
        (both("report.total_hosts"), totals.hosts, "count"),
        (both("report.total_passages"), totals.passages, "count"),
        (both("report.total_characters"), totals.copied_characters, "count"),
    ]
    sheet.set_column(0, 0, 44)
    sheet.set_column(1, 1, 60)
    sheet.write_string(0, 0, both("report.title"), looks["title"])
    for at, (name, value, look) in enumerate(rows, 2):
        _write(sheet, looks, at, 0, name, "heading")
        _write(sheet, looks, at, 1, value, look)


def _notes(sheet: Any, looks: dict[str, Any], report: Report) -> None:
    notes = [f"report.note_{name}" for name in ("claim", "shares", "levels", "offsets", "digests", "times", "cells")]
    lines = [words for key in notes for words in (catalogue().text("zh", key), catalogue().text("en", key))]
    lines += [
        f"{both('report.method')}: {method.scheme} "
        + "; ".join(f"{name} = {value}" for name, value in sorted(method.parameters.items()))
        for method in report.methods
    ]
    sheet.set_column(0, 0, 120)
    sheet.write_string(0, 0, both("report.sheet_notes"), looks["title"])
    for at, line in enumerate(lines, 2):
        _write(sheet, looks, at, 0, line, "text")
