"""Name the files and convert the texts that the typesetting child process reads."""

import re
from typing import Final

from wenhen.kit.text import escape_invisible

# The report on paper: PDF/A-3 with tags, set by Typst, with the workbook inside; sealed where there is a key.
#
# Typst, fontTools and pyHanko are the extra `pdf`. The child that sets the pages imports from here what it needs alone.


CONTENT_FILE: Final = "content.json"
WORKBOOK_FILE: Final = "report.xlsx"


# What of a text can stand on paper: each character as a sign, or by the name of its code point.


_ZERO_WIDTH_SPACE: Final = "\u200b"  # a line may end here; it has no width
_LONG_WORD: Final = re.compile(r"[!-~\xa1-\u024f]{24,}")  # without a place where a line could end
_BREAK_CHARACTERS: Final = 12


def printable_text(text: str) -> str:
    """As `in_signs`; long addresses may be broken."""
    return _LONG_WORD.sub(_break_word, escape_invisible(text))


def _break_word(long: re.Match[str]) -> str:
    whole = long.group()
    return _ZERO_WIDTH_SPACE.join(
        whole[start : start + _BREAK_CHARACTERS] for start in range(0, len(whole), _BREAK_CHARACTERS)
    )
