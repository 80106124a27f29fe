"""Many works in one file: .jsonl, a JSON object a line; .csv with a header line; an .xlsx."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from services.importing.csv_lines import CsvLine, RefusedLine, read_lines
from services.importing.drafts_and_refusals import (
    Found,
    FoundIn,
    Refused,
    checked,
    id_from_origin,
    lines_of,
    readable,
    text_of,
)
from services.importing.sheets import RefusedSheet, read_sheets
from services.importing.work_details import chapter_of, moment_of, read_detail
from store.errors import BadInput
from store.messages import Message
from store.records import WorkDraft

_OPTIONAL_TEXT = ("author", "owner", "kind", "series", "url", "proof")
_COLUMNS = ("id", "title", "text", *_OPTIONAL_TEXT, "chapter", "published_at")


def read_jsonl(content: bytes, origin: str) -> FoundIn:
    """Works by {id, title, text} and whatever `WorkDraft` has besides; other fields are left alone."""
    yield from _json_lines(text_of(content).split("\n"), origin)


def read_jsonl_file(path: Path) -> FoundIn:
    """The same of a file of any size, which is never held whole."""
    yield from _json_lines(lines_of(path), str(path))


def _json_lines(lines: Iterable[str], origin: str) -> FoundIn:
    rows = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    yield from _drafts(rows, _json_fields, origin)


def read_csv(content: bytes, origin: str) -> FoundIn:
    """The same fields, named in the header line."""
    lines = read_lines(text_of(content), _COLUMNS, needed=("title", "text"), others=True)
    yield from _drafts(((one.line, one) for one in lines), _csv_fields, origin)


def read_workbook(content: bytes, origin: str) -> FoundIn:
    """The same of each sheet of a workbook, whatever stands above the line that names the columns."""
    for sheet in read_sheets(content, _COLUMNS, needed=("title", "text")):
        where = f"{origin}!/{sheet.name}"
        if isinstance(sheet, RefusedSheet):
            yield Refused(where, sheet.reason)
        else:
            yield from _drafts(((one.line, one) for one in sheet.lines), _csv_fields, where)


def _csv_fields(line: CsvLine | RefusedLine) -> Mapping[str, str]:
    if isinstance(line, RefusedLine):
        raise BadInput(line.reason.code, **line.reason.figures)
    return line.written


def _drafts(rows: Iterator[tuple[int, Any]], fields: Any, origin: str) -> Iterator[Found]:
    seen: dict[str, int] = {}
    for number, row in rows:
        where = f"{origin}:{number}"
        try:
            draft = _draft(fields(row), where, origin)
        except BadInput as error:
            yield Refused.by(error, where)
            continue
        if draft.id in seen:
            yield Refused(where, Message("importing.id_in_line", {"id": draft.id, "line": seen[draft.id]}))
            continue
        seen[draft.id] = number
        yield draft


def _json_fields(line: str) -> Mapping[str, Any]:
    readable(line)
    try:
        row = json.loads(line)
    except ValueError as error:
        raise BadInput("importing.bad_json", error=str(error)) from None
    except RecursionError:
        raise BadInput("importing.nested_json") from None
    if not isinstance(row, dict):
        raise BadInput("importing.no_object")
    return row


def _draft(row: Mapping[str, Any], where: str, origin: str) -> WorkDraft:
    text, title = row.get("text"), row.get("title")
    if not isinstance(text, str) or not isinstance(title, str) or not title.strip():
        raise BadInput("importing.title_needed")
    return checked(
        WorkDraft(
            id=str(row["id"]) if row.get("id") not in (None, "") else id_from_origin(where),
            title=title.strip(),
            text=text.encode("utf-8", "replace").decode(
                "utf-8"
            ),  # a lone surrogate can be written in JSON, but not stored
            chapter=chapter_of(row.get("chapter")),
            published_at=moment_of(row.get("published_at")),
            origin=origin,
            **{name: _detail(name, row[name]) for name in _OPTIONAL_TEXT if row.get(name)},
        )
    )


def _detail(name: str, value: object) -> str | None:
    if isinstance(value, list | dict):
        raise BadInput("importing.no_words", field=name)
    try:
        words: str | None = read_detail(name, str(value))
    except BadInput as error:
        raise BadInput("works.bad_field", field=name, reason=error.message) from None
    return words
