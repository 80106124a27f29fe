"""A CSV file that people hand in, line by line: what cannot be read of it is refused, and the rest goes on."""

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from services.importing.headings import fields_of
from store.errors import BadInput
from store.messages import Message

_SEPARATORS: Final = (",", "\t", ";")
_MORE: Final = "\n"  # no column can be called so: what stands beyond the last one
_NAME: Final = 60  # characters of a column's name that a message shows


class CsvLine(NamedTuple):
    """A line by the names of its columns."""

    line: int
    written: Mapping[str, str]


class RefusedLine(NamedTuple):
    """A line that was not taken, and why."""

    line: int
    reason: Message


def read_lines(
    text: str, known: Sequence[str], *, needed: Sequence[str], others: bool = False
) -> Iterator[CsvLine | RefusedLine]:
    """The lines of a file whose first one names the columns; tabs or semicolons may stand between them. known: the
    columns that there may be (`services.importing.headings`); needed: those that must be there; others: any other one
    is left alone. Raises `BadInput` for the first line.
    """
    rows, columns = _opened(text, known)
    if not others and (unknown := [name for name in columns if name and name not in known]):
        raise BadInput("csv.unknown_column", column=unknown[0][:_NAME], choices=", ".join(known))
    require(columns, known, needed)
    while (row := _next(rows)) is not None:
        if isinstance(row, RefusedLine):
            yield row
        elif "".join([row.pop("", None) or "", *row.pop(_MORE, ())]).strip():
            yield RefusedLine(rows.line_num, Message("csv.more_fields"))
        elif any((value or "").strip() for value in row.values()):
            yield CsvLine(rows.line_num, {name: value or "" for name, value in row.items()})


def require(columns: Collection[str], known: Sequence[str], needed: Sequence[str]) -> None:
    """Raises `BadInput` where a needed column is not there."""
    if lacking := [name for name in needed if name not in columns]:
        raise BadInput("csv.missing_column", needed=lacking[0], choices=", ".join(known))


def _opened(text: str, known: Collection[str]) -> tuple["csv.DictReader[str]", list[str]]:
    first = text.partition("\n")[0]
    between = next((sign for sign in _SEPARATORS if sign in first), _SEPARATORS[0])
    csv.field_size_limit(2**31 - 1)  # a cell may hold a whole work
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey=_MORE, delimiter=between, strict=True)
    try:
        columns = fields_of(rows.fieldnames or (), known)
    except csv.Error as error:
        raise BadInput("csv.not_csv", error=str(error)) from None
    rows.fieldnames = columns
    return rows, columns


def text_of(content: bytes) -> str:
    """The text of such a file. Its charset is not detected: a table holds too few Chinese characters for that."""
    for charset in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(charset)
        except UnicodeDecodeError:
            continue
    raise BadInput("csv.not_text")


def _next(rows: "csv.DictReader[str]") -> dict[str, Any] | RefusedLine | None:
    try:
        return next(rows)
    except StopIteration:
        return None
    except csv.Error as error:  # where it begins
        return RefusedLine(rows.line_num + 1, Message("csv.bad_line", {"error": str(error)}))
