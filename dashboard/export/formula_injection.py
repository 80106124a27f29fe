"""How no text of a page becomes a formula or a link of a spreadsheet, as OWASP's "CSV Injection" says."""

from collections.abc import Mapping
from typing import Final

_FORMULA: Final = tuple("=+-@＝＋－＠")
# Of a workbook: what is written into a cell as text stays text.
PLAIN_TEXTS: Final[Mapping[str, bool]] = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}


def harmless(text: str) -> str:
    """A cell of CSV: behind an apostrophe where it would be taken for a formula, whatever blanks it begins with."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
