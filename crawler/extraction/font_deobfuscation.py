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

OUTLINE_EM_UNITS = 1000  # units that all outlines are measured in
MAX_POINT_DISTANCE = 6.0  # units that the points of one character's outlines differ by in the mean, at most
MAINLAND_FACE = "SC"  # in the name of the face of a collection that draws Chinese as in the mainland
REFERENCE_FONT_FILES = (
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "SourceHanSansSC-Regular.otf",
    "SourceHanSans.ttc",
)
FONT_FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))


@dataclass(frozen=True, slots=True)
class GlyphOutline:
    """shape: which lines and curves, in their order; points: x and y of each in turn, from the lower left."""

    shape: str
    points: "np.ndarray[tuple[int], np.dtype[np.float64]]"


def glyph_outlines(font: TTFont, codes: Iterable[int]) -> Iterator[tuple[int, GlyphOutline]]:
    """The outlines that a font has for these code points; of empty ones none."""
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
    """A font that draws characters as they are, looked up by outline."""

    def __init__(self, font: TTFont) -> None:
        found: dict[str, list[tuple[str, GlyphOutline]]] = defaultdict(list)
        for code, outline in glyph_outlines(
            font, map(ord, sorted(common_characters().union(_gb2312_characters(), ascii_letters, digits)))
        ):
            found[outline.shape].append((chr(code), outline))
        self._characters = {shape: [one for one, _ in rows] for shape, rows in found.items()}
        self._points = {shape: np.stack([one.points for _, one in rows]) for shape, rows in found.items()}

    def nearest(self, outline: GlyphOutline) -> str | None:
        """The character that is drawn so; None where none is."""
        points = self._points.get(outline.shape)
        if points is None:
            return None
        apart = np.abs(points - outline.points).mean(1)
        best = int(apart.argmin())
        return self._characters[outline.shape][best] if apart[best] <= MAX_POINT_DISTANCE else None


@cache
def load_reference_font(path: Path) -> ReferenceFont:
    """The one in this file; read once, in a second and a half."""
    if path.suffix.lower() != ".ttc":
        return ReferenceFont(TTFont(path, lazy=True))
    faces = TTCollection(path, lazy=True).fonts
    return ReferenceFont(
        next((face for face in faces if MAINLAND_FACE in str(face["name"].getDebugName(4)).split()), faces[0])
    )


def find_reference_font(stated: Path | None) -> Path | None:
    """The file that a setting names, or the first that the machine has."""
    if stated is not None:
        return stated
    return next((file for name in REFERENCE_FONT_FILES for folder in FONT_FOLDERS for file in folder.rglob(name)), None)


def _gb2312_characters() -> str:
    """All its characters, the rarer ones too."""
    rows = (bytes((row, cell)) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF))
    return b"".join(rows).decode("gb2312", "ignore")


# A page as its readers see it: each character as the page's font draws it.


MAX_GLYPHS = 30_000  # of a font that is looked through


def collect_fonts(body: bytes, linked: Sequence[bytes] = ()) -> dict[str, bytes]:
    """The fonts that a page carries and those that it links to, by their digests."""
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
    """The page with its text as it is shown. known: what was learned of fonts before; font: the reference; linked: the
    fonts that were fetched with it; text_at: as for `extract_html`.
    """
    page = extract_html(body, headers, url, text_at=text_at)
    fonts = collect_fonts(body, linked)
    learned = {digest: find_substitutions(one, font) for digest, one in fonts.items() if digest not in known}
    text = page.text
    for digest in fonts:
        text = substitute_characters(text, known.get(digest) or learned.get(digest, {}))
    left = len(PRIVATE_CHARACTER.findall(text))
    lost = (message("fonts.left", count=left),) if left else ()
    if text == page.text:
        return DecipheredPage(page, learned)
    return DecipheredPage(replace(page, text=text, lost=lost, deciphered=True), learned)


def find_substitutions(font: bytes, like: Path) -> dict[str, str]:
    """The characters that a font draws as others, with those; nothing of one that cannot be read."""
    try:
        opened = TTFont(BytesIO(font), lazy=True)
        codes = sorted(opened.getBestCmap())[:MAX_GLYPHS]
        drawn = dict(glyph_outlines(opened, codes))
    except Exception:  # noqa: BLE001  fontTools fails in any way over what nobody meant it to read
        return {}
    by_outline = load_reference_font(like)
    found = {chr(code): by_outline.nearest(outline) for code, outline in drawn.items()}
    return {written: seen for written, seen in found.items() if seen is not None and seen != written}


def substitute_characters(text: str, font: Mapping[str, str]) -> str:
    """Private characters as the font draws them; the others too, where the text reads better so."""
    private = text.translate({ord(one): seen for one, seen in font.items() if PRIVATE_CHARACTER.match(one)})
    every = text.translate({ord(one): seen for one, seen in font.items()})
    return every if (word_pair_share(every) or 0.0) > (word_pair_share(private) or 0.0) else private
