"""What is said of many works as a CSV file: handed out, changed in a spreadsheet, and taken back line by line."""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Final, NamedTuple

from services.acting import Acting
from services.importing.csv_lines import RefusedLine, read_lines, text_of
from services.library.details import edit, read, there, written
from store.errors import BadInput, NotFound
from store.records import Work
from store.rules.library.work_versions import EDITABLE
from store.rules.role_rights import Right

COLUMNS: Final = ("id", *EDITABLE)
AWAY: Final = "-"  # a cell that takes away what is said; an empty one leaves it


class EditedLine(NamedTuple):
    """A line that changes a work: what is said of it before and after, by field."""

    line: int
    id: str
    title: str  # as it was
    changes: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EditedWorks:
    """What a CSV file changes, and the lines that were refused; the other lines say what is known."""

    edited: tuple[EditedLine, ...]
    refused: tuple[RefusedLine, ...]


def table_of(works: Iterable[Work]) -> bytes:
    """The works as such a file, with the mark by which Excel knows UTF-8."""
    text = StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(COLUMNS)
    for work in works:
        said = written(work)
        rows.writerow((work.id, *(said[name] for name in EDITABLE)))
    return text.getvalue().encode("utf-8-sig")


def edit_csv(acting: Acting, content: bytes, *, preview: bool = False) -> EditedWorks:
    """Set what the lines of a file say of works, by their id; a line that cannot be used is refused, and the rest goes
    on. An empty cell leaves what is said, `AWAY` takes it away. preview: only tell what would change. Raises `BadInput`
    for the first line, and for what is no text.
    """
    acting.require(Right.DETAILS)
    edited: list[EditedLine] = []
    refused: list[RefusedLine] = []
    for one in read_lines(text_of(content), COLUMNS, needed=["id"]):
        if isinstance(one, RefusedLine):
            refused.append(one)
            continue
        try:
            if line := _edited(acting, one.line, one.written, preview=preview):
                edited.append(line)
        except (BadInput, NotFound) as error:
            refused.append(RefusedLine(one.line, error.message))
    return EditedWorks(tuple(edited), tuple(refused))


def _edited(acting: Acting, line: int, row: Mapping[str, str], *, preview: bool) -> EditedLine | None:
    before = there(acting, row["id"].strip())
    said = {name: cell.strip() for name, cell in row.items() if name != "id" and cell.strip()}
    wanted = {name: "" if cell == AWAY else cell for name, cell in said.items()}
    new = {name: value for name, value in read(wanted, acting.product.now()).items() if value != getattr(before, name)}
    if not new:
        return None
    old, wanted = written(before), {name: wanted[name] for name in new}
    if not preview:
        edit(acting, before.id, wanted)
    return EditedLine(line, before.id, before.title, {name: (old[name], text) for name, text in wanted.items()})
