"""Many works in one file: .jsonl, a JSON object a line, and .csv with a header line."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from store.errors import BadInput
from store.messages import Message
from store.records import WorkDraft
from store.rules.china_time import CHINA

EARLIEST, LATEST = 100, 2999  # years
MOST_CHAPTERS = 10**9
_OPTIONAL_TEXT = ("author", "owner", "kind", "series", "url", "proof")


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
    csv.field_size_limit(2**31 - 1)
    reader = csv.DictReader(io.StringIO(text_of(content), newline=""), strict=True)
    if reader.fieldnames is None or not {"title", "text"} <= set(reader.fieldnames):
        raise BadInput("importing.no_columns")
    try:
        yield from _drafts(((reader.line_num, row) for row in reader), lambda row: row, origin)
    except csv.Error as error:
        yield Refused(f"{origin}:{reader.line_num}", Message("importing.bad_csv", {"error": str(error)}))


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
            **{name: str(row[name]) for name in _OPTIONAL_TEXT if row.get(name)},
        )
    )


def chapter_of(value: Any) -> int | None:
    """The number of a chapter; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    try:
        chapter = int(value)
    except (TypeError, ValueError, OverflowError):
        chapter = -1
    if not 0 <= chapter < MOST_CHAPTERS:
        raise BadInput("importing.bad_chapter", value=str(value)[:40], most=MOST_CHAPTERS - 1)
    return chapter


def moment_of(value: Any) -> datetime | None:
    """A time in ISO 8601, in UTC; None for nothing. BadInput."""
    if value in (None, ""):
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        moment = None
    if moment is None or not EARLIEST <= moment.year <= LATEST:
        raise BadInput("importing.bad_date", value=str(value)[:40], first=EARLIEST, last=LATEST)
    # A date without a zone is one of China.
    return (moment if moment.tzinfo else moment.replace(tzinfo=CHINA)).astimezone(UTC)
