"""Pages whose font shows other characters than they hold, read as their readers see them, where an administrator has
decided so for the site. What is learned of a font is kept by its digest.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from crawler.extract.decipher import fonts_of
from crawler.extract.extracted_page import ExtractedPage
from crawler.extract.fonts.characters_by_outline import reference_font
from crawler.extract.read_page import read_deciphered
from pipeline.context import Context
from pipeline.pages.read_pictures import fetched_with
from store.errors import Unreadable
from store.records import Page, Site
from store.rules import kept_for

DECIPHERED = "deciphered"  # the note of a page that was read so


def deciphered(
    context: Context,
    page: Page,
    site: Site | None,
    body: bytes,
    headers: Sequence[tuple[str, str]],
    extracted: ExtractedPage,
) -> ExtractedPage:
    """The page as it is shown; as it was extracted, where nothing hints at such a font, none is decided on for its
    site, the machine has no font to compare with, or the page's own goes beyond the bounds.
    """
    if not extracted.lost or extracted.parts or extracted.pictures:
        return extracted
    if site is None or site.decipher_reason is None:
        return extracted
    font = reference_font(context.settings.crawler.reference_font)
    if font is None:
        return extracted
    linked = [one.content for one in fetched_with(context, page.capture) if one.is_font]
    try:
        known = _known(context, fonts_of(body, linked))
        read = read_deciphered(body, headers, page.capture.url, known, font, linked, site.text_at)
    except Unreadable as error:  # what was extracted without it is good
        return replace(extracted, lost=(*extracted.lost, error.message))
    for digest, characters in read.learned.items():
        seen = {"written": "".join(characters), "shown": "".join(characters.values())}
        context.store.marks.set(_mark(digest), seen, until=context.now() + kept_for.LEARNED_FONTS)
    return read.page


def _known(context: Context, digests: Iterable[str]) -> dict[str, Mapping[str, str]]:
    kept = {digest: context.store.marks.get(_mark(digest)) for digest in digests}
    return {
        digest: dict(zip(str(mark["written"]), str(mark["shown"]), strict=True))
        for digest, mark in kept.items()
        if mark is not None
    }


def _mark(digest: str) -> str:
    return f"font:{digest}"
