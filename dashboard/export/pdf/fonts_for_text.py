"""Which of this machine's fonts a text is set in: so many that each of its characters has a sign."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

import typst
from fontTools.ttLib import TTFont

from store.errors import BadInput

PREFERRED: Final = (
    "Noto Serif CJK SC",
    "Source Han Serif SC",
    "Noto Serif SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
    "WenQuanYi Micro Hei",
)
_UNSEEN: Final = frozenset("\n\u200b")
_SELECTORS: Final = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))  # of variants
_CHINESE: Final = "的"
_NAMED: Final = 40  # characters of a refusal
_REGULAR: Final = 400  # weight


def families_for(characters: set[str], fonts: typst.Fonts) -> list[str]:
    """The families to set these characters in, the one for most of them first.

    BadInput where there is no Chinese font, or characters that no font has; it names them.
    """
    missing = characters - _UNSEEN - _SELECTORS | {_CHINESE}
    chosen = []
    for family, face in _in_order(_regular(fonts)):
        has = _characters(face.path or "", face.index)
        if found := {one for one in missing if ord(one) in has}:
            chosen.append(family)
            missing -= found
        if not missing:
            return chosen
    if _CHINESE in missing:
        raise BadInput("reports.no_chinese_font")
    named = sorted(missing)[:_NAMED]
    raise BadInput(
        "reports.no_glyph", count=len(missing), characters=" ".join(f"{one} (U+{ord(one):04X})" for one in named)
    )


def _regular(fonts: typst.Fonts) -> dict[str, typst.FontInfo]:
    """Of each family the upright face whose weight is nearest to the regular one."""
    upright = [face for face in fonts.fonts() if face.style == "normal" and face.path]
    return {face.family: face for face in sorted(upright, key=lambda face: -abs(face.weight - _REGULAR))}


def _in_order(faces: Mapping[str, typst.FontInfo]) -> Iterator[tuple[str, typst.FontInfo]]:
    for family in dict.fromkeys((*PREFERRED, *sorted(faces))):
        if family in faces:
            yield family, faces[family]


@lru_cache(maxsize=64)
def _characters(path: str, index: int) -> frozenset[int]:
    with TTFont(path, fontNumber=index, lazy=True) as font:
        return frozenset(font.getBestCmap() or ())
