"""Import many works from one JSON Lines, CSV or XLSX file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from python_calamine import CalamineSheet, CalamineWorkbook

from wenhen.kit.errors import BadInput, Message
from wenhen.kit.text import to_storable
from wenhen.works.importers.csv_rows import CsvLine, RefusedLine, match_headings, read_csv_lines, require_columns
from wenhen.works.importers.drafts import (
    ImportItem,
    ImportItems,
    Refused,
    decode_text,
    id_from_origin,
    parse_chapter,
    parse_field,
    parse_publication_time,
    parse_shortest_passage,
    read_file_lines,
    require_readable_text,
    validate_draft,
)
from wenhen.works.model import WorkDraft

_MAX_ROWS_ABOVE_HEADER: Final = 10  # lines that may stand above the one that names the columns: a title, a remark
_XLSX_SIGNATURES: Final = (b"[Content_Types].xml", b"xl/")  # names of its parts
_MAX_CELL_CHARACTERS: Final = 32_767  # UTF-16 units of a cell, where Excel cuts a text off

SheetLine = CsvLine | RefusedLine


class Sheet(NamedTuple):
    """A sheet that is a table."""

    name: str
    lines: Iterator[SheetLine]


class RefusedSheet(NamedTuple):
    """A sheet with something else in it."""

    name: str
    reason: Message


def read_sheets(content: bytes, known: Sequence[str], *, needed: Sequence[str]) -> Iterator[Sheet | RefusedSheet]:
    """Each sheet of an .xlsx that is not empty. known, needed: the columns that there may be, and that must be there.
    Raises `BadInput` for what is none.
    """
    # The reader takes other forms too; over damaged ones it needs more time and memory than a file may.
    if not all(sign in content for sign in _XLSX_SIGNATURES):
        raise BadInput("importing.no_workbook")
    with CalamineWorkbook.from_filelike(BytesIO(content)) as book:
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            if sheet.start is not None:
                yield _read_sheet(sheet, known, needed)


def _read_sheet(sheet: CalamineSheet, known: Sequence[str], needed: Sequence[str]) -> Sheet | RefusedSheet:
    rows = enumerate(sheet.iter_rows(), 1)
    first: list[str] = []
    for _, row in islice(rows, _MAX_ROWS_ABOVE_HEADER):
        columns = match_headings(map(_format_cell, row), known)
        first = first or columns
        if set(needed) <= set(columns):
            return Sheet(sheet.name, _sheet_lines(rows, columns))
    try:
        require_columns(first, known, needed)
    except BadInput as error:
        return RefusedSheet(sheet.name, error.message)
    raise AssertionError("a line that has what is needed was found above")


def _sheet_lines(rows: Iterator[tuple[int, Sequence[object]]], columns: Sequence[str]) -> Iterator[SheetLine]:
    for number, row in rows:
        cells = list(map(_format_cell, row))
        if any(len(cell.encode("utf-16-le")) == 2 * _MAX_CELL_CHARACTERS for cell in cells):
            yield RefusedLine(number, Message("importing.cell_full", {"most": _MAX_CELL_CHARACTERS}))
        elif any(cell.strip() for cell in cells):
            yield CsvLine(number, dict(zip(columns, cells, strict=False)))


def _format_cell(cell: object) -> str:
    """A cell as a person would write it: a whole number without its point, a midnight as a day."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.date().isoformat() if cell.time() == time.min else cell.isoformat(sep=" ")
    return str(cell)


# Many works in one file: .jsonl, a JSON object a line; .csv with a header line; an .xlsx.


_OPTIONAL_TEXT_COLUMNS = ("author", "owner", "kind", "series", "url", "proof")
_IMPORT_COLUMNS = ("id", "title", "text", *_OPTIONAL_TEXT_COLUMNS, "chapter", "published_at", "shortest_passage")
_MAX_NAME_CHARACTERS: Final = 60  # characters of the name of an unknown field


def read_jsonl(content: bytes, origin: str) -> ImportItems:
    """Works by {id, title, text} and whatever `WorkDraft` has besides; other fields are named in the draft."""
    yield from _read_json_lines(decode_text(content).split("\n"), origin)


def read_jsonl_file(path: Path) -> ImportItems:
    """The same of a file of any size, which is never held whole."""
    yield from _read_json_lines(read_file_lines(path), str(path))


def _read_json_lines(lines: Iterable[str], origin: str) -> ImportItems:
    rows = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    yield from _make_drafts(rows, _json_line_fields, origin)


def read_csv(content: bytes, origin: str) -> ImportItems:
    """The same fields, named in the header line."""
    lines = read_csv_lines(decode_text(content), _IMPORT_COLUMNS, needed=("title", "text"), others=True)
    yield from _make_drafts(((line.line, line) for line in lines), _csv_line_fields, origin)


def read_workbook(content: bytes, origin: str) -> ImportItems:
    """The same of each sheet of a workbook, whatever stands above the line that names the columns."""
    for sheet in read_sheets(content, _IMPORT_COLUMNS, needed=("title", "text")):
        where = f"{origin}!/{sheet.name}"
        if isinstance(sheet, RefusedSheet):
            yield Refused(where, sheet.reason)
        else:
            yield from _make_drafts(((line.line, line) for line in sheet.lines), _csv_line_fields, where)


def _csv_line_fields(line: CsvLine | RefusedLine) -> Mapping[str, str]:
    if isinstance(line, RefusedLine):
        raise BadInput(line.reason.code, **line.reason.figures)
    return line.written


def _make_drafts(rows: Iterator[tuple[int, Any]], fields: Any, origin: str) -> Iterator[ImportItem]:
    seen: dict[str, int] = {}
    for number, row in rows:
        where = f"{origin}:{number}"
        try:
            draft = _make_draft(fields(row), where, origin)
        except BadInput as error:
            yield Refused.by(error, _shown_place(where, row))
            continue
        if draft.id in seen:
            yield Refused(
                _shown_place(where, row), Message("importing.id_in_line", {"id": draft.id, "line": seen[draft.id]})
            )
            continue
        seen[draft.id] = number
        yield draft


def _shown_place(where: str, row: object) -> str:
    """Return the place with the row that a spreadsheet shows, if that is another. Ids of works name the line alone."""
    shown = row.row if isinstance(row, CsvLine | RefusedLine) else None
    return where if shown is None else f"{where}({shown})"


def _json_line_fields(line: str) -> Mapping[str, Any]:
    require_readable_text(line)
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadInput("importing.bad_json", error=str(error)) from None
    except RecursionError:
        raise BadInput("importing.nested_json") from None
    if not isinstance(row, dict):
        raise BadInput("importing.no_object")
    return row


def _make_draft(row: Mapping[str, Any], where: str, origin: str) -> WorkDraft:
    text, title = row.get("text"), row.get("title")
    if not isinstance(text, str) or not isinstance(title, str) or not title.strip():
        raise BadInput("importing.title_needed")
    return validate_draft(
        WorkDraft(
            id=str(row["id"]) if row.get("id") not in (None, "") else id_from_origin(where),
            title=title.strip(),
            text=text.encode("utf-8", "replace").decode(
                "utf-8"
            ),  # a lone surrogate can be written in JSON, but not stored
            chapter=parse_chapter(row.get("chapter")),
            shortest_passage=parse_shortest_passage(row.get("shortest_passage")),
            published_at=parse_publication_time(row.get("published_at")),
            origin=origin,
            unknown_fields=_find_unknown_fields(row),
            **_optional_texts(row),
        )
    )


def _find_unknown_fields(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields that hold something, and that no work has. Names are cut to a readable length."""
    filled = (name for name, value in row.items() if name and value not in (None, "", [], {}))
    return tuple(to_storable(name[:_MAX_NAME_CHARACTERS]) for name in filled if name not in _IMPORT_COLUMNS)


def _optional_texts(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _json_detail_text(name, row[name]) for name in _OPTIONAL_TEXT_COLUMNS if row.get(name)}


def _json_detail_text(name: str, value: object) -> str | None:
    if isinstance(value, list | dict):
        raise BadInput("importing.no_words", field=name)
    try:
        words: str | None = parse_field(name, str(value))
    except BadInput as error:
        raise BadInput("works.bad_field", field=name, reason=error.message) from None
    return words
