"""Replace characters by those that a page's fonts draw, matched by outline. Imports numpy and fontTools."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from string import ascii_letters, digits

import numpy as np
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTCollection, TTFont

from crawler.extraction.charset import common_characters
from crawler.extraction.fonts.detection import PRIVATE_CHARACTER, extract_embedded_fonts
from crawler.extraction.fonts.plausibility import word_pair_share
from crawler.extraction.model import DecipheredPage
from crawler.extraction.page import extract_html
from wenhen.kit.errors import message

OUTLINE_EM_UNITS = 1000  # units in which all outlines are measured
MAX_POINT_DISTANCE = 6.0  # units of mean distance between the points of one character's outlines
MAINLAND_FACE = "SC"  # in the name of a collection's face that draws Chinese as in the mainland
REFERENCE_FONT_FILES = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "SourceHanSansSC-Regular.otf",
    "SourceHanSans.ttc",
)
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))


@dataclass(frozen=True, slots=True)
class GlyphOutline:
    """Represent an outline. shape: its lines and curves in order. points: x and y of each, from the lower left."""

    shape: str
    points: "np.ndarray[tuple[int], np.dtype[np.float64]]"


def glyph_outlines(font: TTFont, codes: Iterable[int]) -> Iterator[tuple[int, GlyphOutline]]:
    """Yield the outlines of a font for these code points. Empty ones are left out."""
    names, glyphs, scale = font.getBestCmap(), font.getGlyphSet(), OUTLINE_EM_UNITS / font["head"].unitsPerEm
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
                GlyphOutline(" ".join(f"{sign}{len(points)}" for sign, points in drawn), (flat - flat.min(0)).ravel()),
            )


class ReferenceFont:
    """Look up characters by outline in a font that draws them correctly."""

    def __init__(self, font: TTFont) -> None:
        outlines_by_shape: dict[str, list[tuple[str, GlyphOutline]]] = defaultdict(list)
        for code, outline in glyph_outlines(
            font, map(ord, sorted(common_characters().union(_gb2312_characters(), ascii_letters, digits)))
        ):
            outlines_by_shape[outline.shape].append((chr(code), outline))
        self._characters = {shape: [character for character, _ in rows] for shape, rows in outlines_by_shape.items()}
        self._points = {
            shape: np.stack([character.points for _, character in rows]) for shape, rows in outlines_by_shape.items()
        }

    def nearest(self, outline: GlyphOutline) -> str | None:
        """Return the character with this outline, or None."""
        points = self._points.get(outline.shape)
        if points is None:
            return None
        apart = np.abs(points - outline.points).mean(1)
        best = int(apart.argmin())
        return self._characters[outline.shape][best] if apart[best] <= MAX_POINT_DISTANCE else None


@cache
def load_reference_font(path: Path) -> ReferenceFont:
    """Return the reference font in this file. It is read once, in a second and a half."""
    if path.suffix.lower() != ".ttc":
        return ReferenceFont(TTFont(path, lazy=True))
    faces = TTCollection(path, lazy=True).fonts
    return ReferenceFont(
        next((face for face in faces if MAINLAND_FACE in str(face["name"].getDebugName(4)).split()), faces[0])
    )


def find_reference_font(stated: Path | None) -> Path | None:
    """Return the file of the setting, or the first one on the machine."""
    if stated is not None:
        return stated
    return next((file for name in REFERENCE_FONT_FILES for folder in FONT_FOLDERS for file in folder.rglob(name)), None)


def _gb2312_characters() -> str:
    """Return all characters of GB 2312, the rarer ones too."""
    rows = (bytes((row, cell)) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF))
    return b"".join(rows).decode("gb2312", "ignore")


# A page as its readers see it: each character as the page's font draws it.


MAX_GLYPHS = 30_000  # glyphs of a font that are examined


def collect_fonts(body: bytes, linked: Sequence[bytes] = ()) -> dict[str, bytes]:
    """Return the fonts that a page embeds and those that it links to, by their digests."""
    return {sha256(font).hexdigest(): font for font in (*extract_embedded_fonts(body), *linked)}


def decipher_page(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    known: Mapping[str, Mapping[str, str]],
    font: Path,
    linked: Sequence[bytes] = (),
    text_at: str | None = None,
) -> DecipheredPage:
    """Return the page with its text as displayed.

    known: what earlier pages showed about fonts. font: the reference font. linked: the fonts that were fetched with the
    page. text_at: as for `extract_html`.
    """
    page = extract_html(body, headers, url, text_at=text_at)
    fonts = collect_fonts(body, linked)
    learned = {digest: find_substitutions(drawn, font) for digest, drawn in fonts.items() if digest not in known}
    text = page.text
    for digest in fonts:
        text = substitute_characters(text, known.get(digest) or learned.get(digest, {}))
    left = len(PRIVATE_CHARACTER.findall(text))
    lost = (message("fonts.left", count=left),) if left else ()
    if text == page.text:
        return DecipheredPage(page, learned)
    return DecipheredPage(replace(page, text=text, lost=lost, deciphered=True), learned)


def find_substitutions(font: bytes, like: Path) -> dict[str, str]:
    """Return the characters that a font draws as others, with those. Return {} for an unreadable font."""
    try:
        opened = TTFont(BytesIO(font), lazy=True)
        codes = sorted(opened.getBestCmap())[:MAX_GLYPHS]
        drawn = dict(glyph_outlines(opened, codes))
    except Exception:  # noqa: BLE001  fontTools fails in any way over what nobody meant it to read
        return {}
    by_outline = load_reference_font(like)
    nearest = {chr(code): by_outline.nearest(outline) for code, outline in drawn.items()}
    return {written: seen for written, seen in nearest.items() if seen is not None and seen != written}


def substitute_characters(text: str, font: Mapping[str, str]) -> str:
    """Replace private characters as the font draws them. Replace the others only if the text then reads better."""
    private = text.translate(
        {ord(character): seen for character, seen in font.items() if PRIVATE_CHARACTER.match(character)}
    )
    every = text.translate({ord(character): seen for character, seen in font.items()})
    return every if (word_pair_share(every) or 0.0) > (word_pair_share(private) or 0.0) else private
