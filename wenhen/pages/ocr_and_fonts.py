"""Read text in pictures by OCR within a daily budget, and decipher obfuscated fonts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from crawler.capture import Capture, PageAsset, unpack_assets
from crawler.extraction.documents.file_kinds import FileKind, detect_response_kind
from crawler.extraction.font_deobfuscation import collect_fonts, find_reference_font
from crawler.extraction.model import ExtractedPage, PictureText
from crawler.extraction.ocr import is_ocr_installed
from crawler.extraction.sandbox_calls import read_deciphered_page, read_picture, read_scans
from wenhen.kit.clock import FONT_RETENTION, china_day
from wenhen.kit.errors import Message, NotFound, Unreadable, message
from wenhen.kit.progress import Step
from wenhen.pages.model import Page
from wenhen.product.context import Context
from wenhen.sites.model import Site
from wenhen.steps.claims import Claim

# How many pictures of one host are read in a day, as China counts its days: reading takes a second a picture.


def may_read_pictures(context: Context, page: Page) -> bool:
    """Whether the budget of a page's host is not used up."""
    return pictures_left_today(context, page.host) > 0


def pictures_left_today(context: Context, host: str) -> int:
    """How many pictures of a host may still be read today, about: two workers may count at once."""
    mark = context.store.marks.get(_budget_mark(host))
    used = int(str(mark["read"])) if mark is not None and mark["day"] == _budget_day(context) else 0
    return max(0, context.settings.worker.pictures_per_day - used)


def count_picture(context: Context, host: str) -> None:
    """Count one picture that was read."""
    read = context.settings.worker.pictures_per_day - pictures_left_today(context, host) + 1
    context.store.marks.set(_budget_mark(host), {"day": _budget_day(context), "read": read})


def _budget_mark(host: str) -> str:
    return f"pictures:{host}"


def _budget_day(context: Context) -> str:
    return china_day(context.now()).isoformat()


# Pages whose text stands in pictures: which of those are still to be read, and reading them, each once.
#
# A page comes here from its extraction and goes back to it. The pictures of one host have a daily budget.


NO_READER = "documents.no_reader"
MAX_REPORTED_PICTURES = 20  # pictures of one page of which it is told why they are not read


@dataclass(frozen=True, slots=True)
class PagePictures:
    """What is written in the pictures of a capture, by their addresses, or by the pages of a file; and what of them is
    not read. texts: None of a file whose pages nothing is there to read with.
    """

    texts: Mapping[str, PictureText] | None = field(default_factory=dict)
    unread: int = 0
    lost: tuple[Message, ...] = ()


def load_picture_texts(context: Context, capture: Capture, body: bytes) -> PagePictures:
    """Of the pictures that were fetched with a page, or of a document's own pages; body: what its text is read from."""
    if detect_response_kind(body, capture.headers, capture.url) is FileKind.PDF:
        pages = {id.rpartition(":")[2]: text for id, text in _document_texts(context, capture.body_digest).items()}
        return PagePictures(pages if pages or is_ocr_installed() else None)
    fetched = [asset for asset in capture_assets(context, capture) if asset.is_picture]
    known = _known_texts(context, {picture.digest for picture in fetched})
    texts = {picture.address: known[picture.digest] for picture in fetched if picture.digest in known}
    broken = [(address, text.problem) for address, text in texts.items() if text.problem]
    lost = tuple(
        message("pictures.lost", address=address, reason=reason) for address, reason in broken[:MAX_REPORTED_PICTURES]
    )
    return PagePictures(texts, len({picture.digest for picture in fetched} - known.keys()), lost)


def capture_assets(context: Context, capture: Capture) -> list[PageAsset]:
    """The assets of a capture; none where there are none, or the store has lost them."""
    if capture.assets_digest is None:
        return []
    try:
        return unpack_assets(context.store.blobs.get(capture.assets_digest))
    except NotFound:
        return []


def capture_styles(context: Context, capture: Capture) -> list[str]:
    """The style sheets that were fetched with a page."""
    return [asset.content.decode("utf-8", "replace") for asset in capture_assets(context, capture) if asset.is_style]


def read_pictures(context: Context, claim: Claim[Page]) -> Step | None:
    """Read what is written in the pictures of a page, as far as the budget of its host goes; then its text is read."""
    page = claim.record
    for text in islice(_read_unread(context, page.capture), pictures_left_today(context, page.host)):
        context.store.picture_texts.put(text)
        count_picture(context, page.host)
    return Step.EXTRACT if context.store.pages.advance(claim, Step.EXTRACT) else None


def _known_texts(context: Context, digests: Collection[str]) -> dict[str, PictureText]:
    """Those that were read; what nothing was there to read with counts as unread once there is."""
    return _lasting_texts(context.store.picture_texts.read_already(digests))


def _document_texts(context: Context, digest: str) -> dict[str, PictureText]:
    return _lasting_texts(context.store.picture_texts.of_document(digest))


def _lasting_texts(read: Mapping[str, PictureText]) -> dict[str, PictureText]:
    again = bool(read) and is_ocr_installed()
    return {
        id: text
        for id, text in read.items()
        if not (again and text.problem is not None and text.problem.code == NO_READER)
    }


def _read_unread(context: Context, capture: Capture) -> Iterator[PictureText]:
    """The readings of what is unread, one by one."""
    fetched = {asset.digest: asset.content for asset in capture_assets(context, capture) if asset.is_picture}
    if fetched:
        known = _known_texts(context, fetched.keys())
        yield from (read_picture(content, id) for id, content in fetched.items() if id not in known)
        return
    body = context.store.blobs.get(capture.body_digest)
    if detect_response_kind(body, capture.headers, capture.url) is FileKind.PDF:
        known = _document_texts(context, capture.body_digest)
        yield from read_scans(body, capture.body_digest, [int(id.rpartition(":")[2]) for id in known])


# Pages whose font shows other characters than they hold, read as their readers see them, where an administrator has
# decided so for the site. What is learned of a font is kept by its digest.


DECIPHERED_NOTE = "deciphered"  # the note of a page that was read so


def decipher_page(
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
    font = find_reference_font(context.settings.crawler.reference_font)
    if font is None:
        return extracted
    linked = [asset.content for asset in capture_assets(context, page.capture) if asset.is_font]
    try:
        known = _known_glyphs(context, collect_fonts(body, linked))
        read = read_deciphered_page(body, headers, page.capture.url, known, font, linked, site.text_at)
    except Unreadable as error:  # what was extracted without it is good
        return replace(extracted, lost=(*extracted.lost, error.message))
    for digest, characters in read.learned.items():
        seen = {"written": "".join(characters), "shown": "".join(characters.values())}
        context.store.marks.set(_font_mark(digest), seen, until=context.now() + FONT_RETENTION)
    return read.page


def _known_glyphs(context: Context, digests: Iterable[str]) -> dict[str, Mapping[str, str]]:
    kept = {digest: context.store.marks.get(_font_mark(digest)) for digest in digests}
    return {
        digest: dict(zip(str(mark["written"]), str(mark["shown"]), strict=True))
        for digest, mark in kept.items()
        if mark is not None
    }


def _font_mark(digest: str) -> str:
    return f"font:{digest}"
