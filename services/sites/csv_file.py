"""The sites of a CSV file: added line by line, what cannot be used refused with its reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.acting import Acting
from services.importing.csv_lines import RefusedLine, read_lines
from services.sites.site_settings import SETTINGS, read
from services.sites.sites import add
from store.errors import BadInput, Conflict
from store.messages import Message
from store.records import Site
from store.rules.rights import Right

COLUMNS: Final = ("id", *SETTINGS)


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
    added: list[Site] = []
    refused: list[RefusedLine] = []
    for one in read_lines(content, COLUMNS, "urls"):
        if isinstance(one, RefusedLine):
            refused.append(one)
            continue
        try:
            added.append(_added(acting, dict(one.written)))
        except (BadInput, Conflict) as error:
            refused.append(RefusedLine(one.line, error.message))
    return ImportedSites(tuple(added), tuple(refused))


def _added(acting: Acting, written: dict[str, str]) -> Site:
    if not acting.may(Right.ACCESS):
        _refuse_internal(written)
    return add(acting, written, id=written.pop("id", "").strip() or None)


def _refuse_internal(written: Mapping[str, str]) -> None:
    if read({"internal": written.get("internal", "")})["internal"]:
        raise BadInput("sites.bad_setting", setting="internal", reason=Message("sites.internal_line"))
