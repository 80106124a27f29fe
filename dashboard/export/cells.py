"""What a cell of a workbook can hold. That no text becomes a formula or a link is seen to in `formula_injection`."""

import re
from typing import Final

# XML 1.0 leaves these out of a document, even escaped.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CELL: Final = 32_767  # UTF-16 units
_PART: Final = _CELL // 2  # code points that fit whatever they are
_CUT: Final = "……［过长，已截断 cut］"


def visible(text: str) -> str:
    """The text with a replacement mark for each character that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def legal(text: str) -> str:
    """One cell: as `visible`, and cut with a mark where it is too long."""
    text = visible(text)
    return text if len(text) <= _PART else text[: _PART - len(_CUT)] + _CUT


def in_parts(text: str | None) -> list[str | None]:
    """Text cut into pieces that each fit a cell; one None for none."""
    if text is None:
        return [None]
    return [text[at : at + _PART] for at in range(0, len(text), _PART)] or [""]
