"""Sheets as every workbook of ours has them: plain cells, one look for a kind of value, headings in both languages."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import BytesIO
from math import ceil
from typing import Any, Final

import xlsxwriter

from dashboard.export.cells import legal
from dashboard.export.formula_injection import PLAIN_TEXTS
from dashboard.export.marked_runs import Mark
from dashboard.export.workbook_column import Column, MarkedText, Row, Value, both
from store.errors import TooLarge
from store.rules.china_time import CHINA
from store.rules.xml_characters import for_xml

ROWS: Final = 1_048_576  # of a sheet
_LINE: Final = 15  # points
_HIGHEST: Final = 409  # points of a row, by Excel
_SEEN: Final = 4_000  # characters of a text that make a row higher
_TIME: Final = 26  # characters of a time with its zone
_LETTERS: Final = {"font_name": "Noto Sans CJK SC", "font_size": 10}


def new_book(buffer: BytesIO, title: str, created: datetime, *, flat: bool = False) -> Any:
    """A workbook in which nothing from outside becomes a formula or a link; `title` is a key of the catalogue.

    flat: a row goes to a file when the next one begins, so that memory does not grow with the rows; texts that recur
    stand in the workbook again and again.
    """
    options = {"constant_memory" if flat else "in_memory": True, **PLAIN_TEXTS}
    book = xlsxwriter.Workbook(buffer, options)
    book.set_properties({"title": both(title), "created": local(created)})
    return book


def local(at: datetime) -> datetime:
    """Beijing time without its zone, which Excel cannot hold; the headings name it."""
    return at.astimezone(CHINA).replace(tzinfo=None, microsecond=0)


def add_sheet(book: Any, key: str) -> Any:
    """A sheet for A4 across, named by a key of the catalogue."""
    sheet = book.add_worksheet(both(key))
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    sheet.set_footer("&L&A&R&P / &N")
    sheet.hide_gridlines(2)
    return sheet


def looks_of(book: Any) -> dict[str, Any]:
    """The formats by name, as columns name them."""
    base = {**_LETTERS, "valign": "top", "bottom": 4, "bottom_color": "#C9C3B6"}
    return {
        "text": book.add_format({**base, "text_wrap": True}),
        "count": book.add_format({**base, "num_format": "#,##0"}),
        "number": book.add_format({**base, "num_format": "#,##0.0"}),
        "share": book.add_format({**base, "num_format": "0.0%"}),
        "time": book.add_format({**base, "num_format": 'yyyy-mm-dd hh:mm:ss "UTC+8"'}),
        "day": book.add_format({**base, "num_format": "yyyy-mm-dd"}),
        "digest": book.add_format({**base, "font_name": "Consolas", "font_size": 8, "text_wrap": True}),
        "heading": book.add_format({**base, "bold": True, "text_wrap": True, "bg_color": "#F1ECE2", "bottom": 1}),
        # Runs of a marked passage, seen without colour.
        Mark.SAME: book.add_format(_LETTERS),
        Mark.SOUND: book.add_format({**_LETTERS, "italic": True}),
        Mark.REPLACED: book.add_format({**_LETTERS, "bold": True, "underline": 1}),
        Mark.ADDED: book.add_format({**_LETTERS, "bold": True, "underline": 2}),
        Mark.LEFT_OUT: book.add_format({**_LETTERS, "font_strikeout": True}),
        "title": book.add_format({"font_name": "Noto Sans CJK SC", "font_size": 16, "bold": True}),
    }


def write(sheet: Any, looks: dict[str, Any], row: int, column: int, value: Value, look: str) -> None:
    """One cell in one of the looks."""
    if value is None:
        sheet.write_blank(row, column, None, looks[look])
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, local(value), looks[look])
    elif isinstance(value, date):
        sheet.write_datetime(row, column, value, looks["day"])
    elif isinstance(value, str):
        sheet.write_string(row, column, legal(value), looks[look])
    elif isinstance(value, tuple):
        _write_marked(sheet, looks, row, column, value, look)
    else:
        sheet.write_number(row, column, value, looks[look])


def _write_marked(sheet: Any, looks: dict[str, Any], row: int, column: int, runs: MarkedText, look: str) -> None:
    """A text whose runs have looks of their own; what is one run is plain text, as Excel wants it."""
    if len(runs) < 2:
        sheet.write_string(row, column, legal("".join(run.text for run in runs)), looks[look])
        return
    parts = [part for run in runs for part in (looks[run.mark], for_xml(run.text))]
    sheet.write_rich_string(row, column, *parts, looks[look])


def write_facts(sheet: Any, looks: dict[str, Any], title: str, facts: Iterable[tuple[str, Value, str]]) -> int:
    """A title (key of the catalogue), and below it what is told, one fact a row, as (name, value, look); the last
    row, counted from 0.
    """
    sheet.write_string(0, 0, both(title), looks["title"])
    row = 1
    for row, (name, value, look) in enumerate(facts, 2):
        write(sheet, looks, row, 0, name, "heading")
        write(sheet, looks, row, 1, value, look)
    return row


def make_room(sheet: Any, row: int, texts: Iterable[tuple[Value, float]]) -> None:
    """Let a row be as high as its texts in columns of these widths: not every program sees to it by itself.

    Of a flat workbook rows stay as they are, since heights are kept in memory until the end.
    """
    if sheet.constant_memory:
        return
    lines = max((_lines(value, width) for value, width in texts), default=1)
    if lines > 1:
        sheet.set_row(row, min(lines * _LINE, _HIGHEST))


def _lines(value: Value, width: float) -> int:
    """At least: where a line ends is up to the program."""
    text = "".join(run.text for run in value) if isinstance(value, tuple) else value
    if not isinstance(text, str):
        return 1
    return sum(ceil(max(1, len(line) * (1 if line.isascii() else 2)) / width) for line in text[:_SEEN].split("\n"))


def write_table(sheet: Any, looks: dict[str, Any], columns: Sequence[Column[Row]], rows: Iterable[Row]) -> None:
    """Headings, then the rows, with a filter; TooLarge when a sheet would not hold them."""
    widths = [max(column.width, _TIME if column.look == "time" else 0) for column in columns]
    sheet.set_row(0, 2 * _LINE)
    for at, (column, width) in enumerate(zip(columns, widths, strict=True)):
        sheet.set_column(at, at, width)
        write(sheet, looks, 0, at, both(column.heading), "heading")
    number = 0
    for number, row in enumerate(rows, 1):
        if number >= ROWS:
            raise TooLarge("reports.too_many_rows", rows=f"{ROWS:,}")
        values = [column.get(row) for column in columns]
        make_room(sheet, number, zip(values, widths, strict=True))
        for at, (column, value) in enumerate(zip(columns, values, strict=True)):
            write(sheet, looks, number, at, value, column.look)
    sheet.freeze_panes(1, 1)
    sheet.repeat_rows(0)
    sheet.autofilter(0, 0, number, len(columns) - 1)
