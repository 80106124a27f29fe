"""What a cell of a workbook can hold. That no text becomes a formula or a link is seen to in `formula_injection`."""

from typing import Final

from store.rules.xml_characters import for_xml

_CELL: Final = 32_767  # UTF-16 units
_PART: Final = _CELL // 2  # code points that fit whatever they are
_CUT: Final = "……［过长，已截断 cut］"


def legal(text: str) -> str:
    """One cell: as `for_xml`, and cut with a mark where it is too long."""
    text = for_xml(text)
    return text if len(text) <= _PART else text[: _PART - len(_CUT)] + _CUT


def in_parts(text: str | None) -> list[str | None]:
    """Text cut into pieces that each fit a cell; one None for none."""
    if text is None:
        return [None]
    return [text[at : at + _PART] for at in range(0, len(text), _PART)] or [""]
