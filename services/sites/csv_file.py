"""The sites of a CSV file: added line by line, what cannot be used refused with its reason."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from services.acting import Acting
from services.sites.site_settings import SETTINGS, read
from services.sites.sites import add
from store.errors import BadInput, Conflict
from store.messages import Message
from store.records import Site
from store.rules.rights import Right

COLUMNS: Final = ("id", *SETTINGS)
_SEPARATORS: Final = (",", "\t", ";")
_NAME: Final = 60  # characters of a column's name that a message shows


class RefusedLine(NamedTuple):
    """A line that was not taken, and why."""

    line: int
    reason: Message


@dataclass(frozen=True, slots=True)
class ImportedSites:
    """What a CSV file brought: the sites that were added, and the lines that were not."""

    added: tuple[Site, ...]
    refused: tuple[RefusedLine, ...]


def import_csv(acting: Acting, content: bytes) -> ImportedSites:
    """Add the sites of a CSV file, in UTF-8 or as Excel writes it in China, whose first line names the columns; tabs or
    semicolons may stand between them.

    These are `COLUMNS`, of which urls must be there. A line that cannot be used is refused, and the others are added;
    lines of internal sites only for those who may add these. Raises `BadInput` for the first line, and for what is no
    text.
    """
    acting.require(Right.SITES)
    rows, columns = _opened(_text_of(content))
    _check(columns)
    added: list[Site] = []
    refused: list[RefusedLine] = []
    while (row := _next(rows, refused)) is not None:
        if "" in row:
            refused.append(RefusedLine(rows.line_num, Message("sites.more_fields")))
            continue
        written = {name: value or "" for name, value in row.items()}
        if not any(value.strip() for value in written.values()):
            continue
        try:
            if not acting.may(Right.ACCESS):
                _refuse_internal(written)
            added.append(add(acting, written, id=written.pop("id", "").strip() or None))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(rows.line_num, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def _check(columns: list[str]) -> None:
    choices = ", ".join(COLUMNS)
    if unknown := [name for name in columns if name not in COLUMNS]:
        raise BadInput("sites.unknown_column", column=unknown[0][:_NAME], choices=choices)
    if "urls" not in columns:
        raise BadInput("sites.no_urls_column", choices=choices)


def _opened(text: str) -> tuple["csv.DictReader[str]", list[str]]:
    first = text.partition("\n")[0]
    between = next((sign for sign in _SEPARATORS if sign in first), _SEPARATORS[0])
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey="", delimiter=between, strict=True)
    try:
        columns = [name.strip().lower() for name in rows.fieldnames or ()]
    except csv.Error as error:
        raise BadInput("sites.not_csv", error=str(error)) from None
    rows.fieldnames = columns
    return rows, columns


def _text_of(content: bytes) -> str:
    """Not detected: a table of addresses holds too few Chinese characters for that."""
    for charset in ("utf-8-sig", "gb18030"):
        try:
            return content.decode(charset)
        except UnicodeDecodeError:
            continue
    raise BadInput("sites.not_text")


def _refuse_internal(written: Mapping[str, str]) -> None:
    if read({"internal": written.get("internal", "")})["internal"]:
        raise BadInput("sites.bad_setting", setting="internal", reason=Message("sites.internal_line"))


def _next(rows: "csv.DictReader[str]", refused: list[RefusedLine]) -> dict[str, Any] | None:
    while True:
        try:
            return next(rows)
        except StopIteration:
            return None
        except csv.Error as error:  # where it begins
            refused.append(RefusedLine(rows.line_num + 1, Message("sites.bad_line", {"error": str(error)})))
