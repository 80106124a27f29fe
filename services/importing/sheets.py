"""The sheets of a workbook as lines of a table, as `services.importing.csv_lines` has those of a CSV file."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time
from io import BytesIO
from itertools import islice
from typing import Final, NamedTuple

from python_calamine import CalamineSheet, CalamineWorkbook

from services.importing.csv_lines import CsvLine, RefusedLine, require
from services.importing.headings import fields_of
from store.errors import BadInput
from store.messages import Message

_ABOVE: Final = 10  # lines that may stand above the one that names the columns: a title, a remark
_SIGNS: Final = (b"[Content_Types].xml", b"xl/")  # names of its parts
_FULL: Final = 32_767  # UTF-16 units of a cell, where Excel cuts a text off

Line = CsvLine | RefusedLine


class Sheet(NamedTuple):
    """A sheet that is a table."""

    name: str
    lines: Iterator[Line]


class RefusedSheet(NamedTuple):
    """A sheet with something else in it."""

    name: str
    reason: Message


def read_sheets(content: bytes, known: Sequence[str], *, needed: Sequence[str]) -> Iterator[Sheet | RefusedSheet]:
    """Each sheet of an .xlsx that is not empty. known, needed: the columns that there may be, and that must be there.
    Raises `BadInput` for what is none.
    """
    # The reader takes other forms too; over damaged ones it needs more time and memory than a file may.
    if not all(sign in content for sign in _SIGNS):
        raise BadInput("importing.no_workbook")
    with CalamineWorkbook.from_filelike(BytesIO(content)) as book:
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            if sheet.start is not None:
                yield _read(sheet, known, needed)


def _read(sheet: CalamineSheet, known: Sequence[str], needed: Sequence[str]) -> Sheet | RefusedSheet:
    rows = enumerate(sheet.iter_rows(), 1)
    first: list[str] = []
    for _, row in islice(rows, _ABOVE):
        columns = fields_of(map(_written, row), known)
        first = first or columns
        if set(needed) <= set(columns):
            return Sheet(sheet.name, _lines(rows, columns))
    try:
        require(first, known, needed)
    except BadInput as error:
        return RefusedSheet(sheet.name, error.message)
    raise AssertionError("a line that has what is needed was found above")


def _lines(rows: Iterator[tuple[int, Sequence[object]]], columns: Sequence[str]) -> Iterator[Line]:
    for number, row in rows:
        cells = list(map(_written, row))
        if any(len(cell.encode("utf-16-le")) == 2 * _FULL for cell in cells):
            yield RefusedLine(number, Message("importing.cell_full", {"most": _FULL}))
        elif any(cell.strip() for cell in cells):
            yield CsvLine(number, dict(zip(columns, cells, strict=False)))


def _written(cell: object) -> str:
    """A cell as a person would write it: a whole number without its point, a midnight as a day."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time.min else cell.isoformat(sep=" ")
    return str(cell)
