"""Fonts that show other characters than a page holds, made from a free one."""

import io
import random
from functools import cache
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

NOTO = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
SIMPLIFIED = 2  # the face of the collection
PRIVATE = 0xE000


@cache
def subset_of(characters: str) -> bytes:
    """The font with these characters alone."""
    font = TTCollection(NOTO, lazy=True).fonts[SIMPLIFIED]
    options = subset.Options(layout_features=[], hinting=False, desubroutinize=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=characters)
    subsetter.subset(font)
    font.save(file := io.BytesIO())
    return file.getvalue()


def exchanging(font: bytes, seed: int, *, private: bool, flavor: str | None) -> tuple[bytes, dict[int, str]]:
    """The font with its characters exchanged, or at private code points, and how a text has to be written for it."""
    opened = TTFont(io.BytesIO(font))
    glyphs = opened.getBestCmap()
    codes = sorted(glyphs)
    written = [PRIVATE + at for at in range(len(codes))] if private else list(codes)
    random.Random(seed).shuffle(written)
    tables = [table for table in opened["cmap"].tables if table.isUnicode() and table.format in (4, 12)]
    for table in tables:
        table.cmap = {other: glyphs[code] for code, other in zip(codes, written, strict=True)}
    opened["cmap"].tables = tables
    opened.flavor = flavor
    opened.save(file := io.BytesIO())
    return file.getvalue(), {code: chr(other) for code, other in zip(codes, written, strict=True)}
