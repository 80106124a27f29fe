"""Typeset the report with Typst and matching fonts. It runs in the sandboxed child process."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import typst
from fontTools.ttLib import TTFont

from wenhen.kit.errors import BadInput
from wenhen.reports.pdf.printable import CONTENT_FILE, printable_text

# Which of this machine's fonts a text is set in: so many that each of its characters has a sign.


PREFERRED_FONTS: Final = (
    "Noto Serif CJK SC",
    "Source Han Serif SC",
    "Noto Serif SC",
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Noto Sans SC",
    "WenQuanYi Micro Hei",
)
_INVISIBLE_CHARACTERS: Final = frozenset("\n\u200b")
_VARIATION_SELECTORS: Final = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))  # of variants
_CHINESE_SAMPLE: Final = "的"
_MAX_NAMED_CHARACTERS: Final = 40  # characters of a refusal
_REGULAR_WEIGHT: Final = 400  # weight


def choose_font_families(characters: set[str], fonts: typst.Fonts) -> list[str]:
    """The families to set these characters in, the one for most of them first.

    BadInput where there is no Chinese font, or characters that no font has; it names them.
    """
    missing = characters - _INVISIBLE_CHARACTERS - _VARIATION_SELECTORS | {_CHINESE_SAMPLE}
    chosen = []
    for family, face in _order_faces(_regular_faces(fonts)):
        has = _font_characters(face.path or "", face.index)
        if covered := {character for character in missing if ord(character) in has}:
            chosen.append(family)
            missing -= covered
        if not missing:
            return chosen
    if _CHINESE_SAMPLE in missing:
        raise BadInput("reports.no_chinese_font")
    named = sorted(missing)[:_MAX_NAMED_CHARACTERS]
    raise BadInput(
        "reports.no_glyph",
        count=len(missing),
        characters=" ".join(f"{character} (U+{ord(character):04X})" for character in named),
    )


def _regular_faces(fonts: typst.Fonts) -> dict[str, typst.FontInfo]:
    """Of each family the upright face whose weight is nearest to the regular one."""
    upright = [face for face in fonts.fonts() if face.style == "normal" and face.path]
    return {face.family: face for face in sorted(upright, key=lambda face: -abs(face.weight - _REGULAR_WEIGHT))}


def _order_faces(faces: Mapping[str, typst.FontInfo]) -> Iterator[tuple[str, typst.FontInfo]]:
    for family in dict.fromkeys((*PREFERRED_FONTS, *sorted(faces))):
        if family in faces:
            yield family, faces[family]


@lru_cache(maxsize=64)
def _font_characters(path: str, index: int) -> frozenset[int]:
    with TTFont(path, fontNumber=index, lazy=True) as font:
        return frozenset(font.getBestCmap() or ())


# What is done in the child: the pages set by Typst from the files of a folder.


PDF_STANDARDS: Final = ("a-3a", "ua-1")  # for archives, with files inside; and for those who hear what others see
_TYPST_TEMPLATE: Final = Path(__file__).with_name("report.typ")


def typeset(folder: str, created: datetime, fonts: str) -> bytes:
    """The PDF of what `report_content` gave, in the file `CONTENT` of the folder, beside the workbook that it names;
    the same bytes of the same.

    fonts: a folder with fonts beside the system's, or nothing. BadInput where no font has a sign for a character.
    """
    fonts_found = typst.Fonts(include_embedded_fonts=False, font_paths=[fonts] if fonts else [])
    compiler = typst.Compiler(
        _TYPST_TEMPLATE.read_bytes(),
        root=folder,
        font_paths=fonts_found,
        sys_inputs={
            "content": _printable_content(Path(folder, CONTENT_FILE), fonts_found),
            "created": created.isoformat(),
        },
    )
    whole = created.replace(microsecond=0)  # Typst refuses fractions of a second
    pdf: Any = compiler.compile(format="pdf", pdf_standards=list(PDF_STANDARDS), timestamp=whole)
    return bytes(pdf)


def _printable_content(path: Path, fonts: typst.Fonts) -> str:
    """The content with every text as it can be printed, and the families of fonts that this takes."""
    content = _printable_value(json.loads(path.read_text(encoding="utf-8")))
    content["families"] = choose_font_families(set().union(*_all_texts(content)), fonts)
    return json.dumps(content, ensure_ascii=False)


def _printable_value(value: Any) -> Any:
    """The same with every text as it can be printed."""
    if isinstance(value, str):
        return printable_text(value)
    if isinstance(value, dict):
        return {name: _printable_value(item) for name, item in value.items()}
    return [_printable_value(item) for item in value] if isinstance(value, list) else value


def _all_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _all_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _all_texts(item)
