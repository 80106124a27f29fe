"""A page as its readers see it: each character as the page's font draws it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from fontTools.ttLib import TTFont

from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.fonts.characters_by_outline import outlines_of, reference
from crawler.extract.fonts.fonts_in_markup import embedded_fonts
from crawler.extract.fonts.reads_like_words import reads
from crawler.extract.fonts.scrambled import PRIVATE
from crawler.extract.page import extract
from store.messages import message

MOST_GLYPHS = 30_000  # of a font that is looked through


@dataclass(frozen=True, slots=True)
class Deciphered:
    """A page, and what was learned of its fonts: by the digest of each, characters as they are written and as shown."""

    page: ExtractedPage
    learned: Mapping[str, Mapping[str, str]]


def fonts_of(body: bytes, linked: Sequence[bytes] = ()) -> dict[str, bytes]:
    """The fonts that a page carries and those that it links to, by their digests."""
    return {sha256(font).hexdigest(): font for font in (*embedded_fonts(body), *linked)}


def decipher(
    body: bytes,
    headers: Sequence[tuple[str, str]],
    url: str,
    known: Mapping[str, Mapping[str, str]],
    font: Path,
    linked: Sequence[bytes] = (),
    text_at: str | None = None,
) -> Deciphered:
    """The page with its text as it is shown. known: what was learned of fonts before; font: the reference; linked: the
    fonts that were fetched with it; text_at: as for `extract`.
    """
    page = extract(body, headers, url, text_at=text_at)
    fonts = fonts_of(body, linked)
    learned = {digest: shown_by(one, font) for digest, one in fonts.items() if digest not in known}
    text = page.text
    for digest in fonts:
        text = shown(text, known.get(digest) or learned.get(digest, {}))
    left = len(PRIVATE.findall(text))
    lost = (message("fonts.left", count=left),) if left else ()
    if text == page.text:
        return Deciphered(page, learned)
    return Deciphered(replace(page, text=text, lost=lost, deciphered=True), learned)


def shown_by(font: bytes, like: Path) -> dict[str, str]:
    """The characters that a font draws as others, with those; nothing of one that cannot be read."""
    try:
        opened = TTFont(BytesIO(font), lazy=True)
        codes = sorted(opened.getBestCmap())[:MOST_GLYPHS]
        drawn = dict(outlines_of(opened, codes))
    except Exception:  # noqa: BLE001  fontTools fails in any way over what nobody meant it to read
        return {}
    by_outline = reference(like)
    found = {chr(code): by_outline.nearest(outline) for code, outline in drawn.items()}
    return {written: seen for written, seen in found.items() if seen is not None and seen != written}


def shown(text: str, font: Mapping[str, str]) -> str:
    """Private characters as the font draws them; the others too, where the text reads better so."""
    private = text.translate({ord(one): seen for one, seen in font.items() if PRIVATE.match(one)})
    every = text.translate({ord(one): seen for one, seen in font.items()})
    return every if (reads(every) or 0.0) > (reads(private) or 0.0) else private
