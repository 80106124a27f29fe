"""The outlines of glyphs, and the characters of a reference font that are drawn by the same."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_letters, digits

import numpy as np
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTCollection, TTFont

from crawler.extract.charset import common_characters

EM = 1000  # units that all outlines are measured in
CLOSE = 6.0  # units that the points of one character's outlines differ by in the mean, at most
WANTED = "SC"  # in the name of the face of a collection that draws Chinese as in the mainland
REFERENCES = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "SourceHanSansSC-Regular.otf",
    "SourceHanSans.ttc",
)
FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))


@dataclass(frozen=True, slots=True)
class Outline:
    """shape: which lines and curves, in their order; points: x and y of each in turn, from the lower left."""

    shape: str
    points: "np.ndarray[tuple[int], np.dtype[np.float64]]"


def outlines_of(font: TTFont, codes: Iterable[int]) -> Iterator[tuple[int, Outline]]:
    """The outlines that a font has for these code points; of empty ones none."""
    names, glyphs, scale = font.getBestCmap(), font.getGlyphSet(), EM / font["head"].unitsPerEm
    for code in codes:
        if code not in names:
            continue
        pen = DecomposingRecordingPen(glyphs)
        glyphs[names[code]].draw(pen)
        drawn = [(sign, points) for sign, points in pen.value if points]
        if drawn:
            flat = np.array([point for _, points in drawn for point in points], dtype=np.float64) * scale
            yield (
                code,
                Outline(" ".join(f"{sign}{len(points)}" for sign, points in drawn), (flat - flat.min(0)).ravel()),
            )


class ReferenceFont:
    """A font that draws characters as they are, looked up by outline."""

    def __init__(self, font: TTFont) -> None:
        found: dict[str, list[tuple[str, Outline]]] = defaultdict(list)
        for code, outline in outlines_of(
            font, map(ord, sorted(common_characters().union(_gb2312(), ascii_letters, digits)))
        ):
            found[outline.shape].append((chr(code), outline))
        self._characters = {shape: [one for one, _ in rows] for shape, rows in found.items()}
        self._points = {shape: np.stack([one.points for _, one in rows]) for shape, rows in found.items()}

    def nearest(self, outline: Outline) -> str | None:
        """The character that is drawn so; None where none is."""
        points = self._points.get(outline.shape)
        if points is None:
            return None
        apart = np.abs(points - outline.points).mean(1)
        best = int(apart.argmin())
        return self._characters[outline.shape][best] if apart[best] <= CLOSE else None


@cache
def reference(path: Path) -> ReferenceFont:
    """The one in this file; read once, in a second and a half."""
    if path.suffix.lower() != ".ttc":
        return ReferenceFont(TTFont(path, lazy=True))
    faces = TTCollection(path, lazy=True).fonts
    return ReferenceFont(next((one for one in faces if WANTED in str(one["name"].getDebugName(4)).split()), faces[0]))


def reference_font(stated: Path | None) -> Path | None:
    """The file that a setting names, or the first that the machine has."""
    if stated is not None:
        return stated
    return next((file for name in REFERENCES for folder in FOLDERS for file in folder.rglob(name)), None)


def _gb2312() -> str:
    """All its characters, the rarer ones too."""
    rows = (bytes((row, cell)) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF))
    return b"".join(rows).decode("gb2312", "ignore")
