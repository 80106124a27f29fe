"""Read text in pictures by OCR within a daily budget, and deobfuscate fonts."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from crawler.capture import Capture, PageAsset, unpack_assets
from crawler.extraction.documents.file_kinds import FileKind, detect_response_kind
from crawler.extraction.font_deobfuscation import collect_fonts, find_reference_font
from crawler.extraction.model import ExtractedPage, PictureText
from crawler.extraction.ocr import is_ocr_installed
from crawler.extraction.sandbox_calls import read_deciphered_page, read_picture, read_scans
from wenhen.context.use_cases import Context
from wenhen.kit.clock import FONT_RETENTION, china_day
from wenhen.kit.errors import Message, NotFound, Unreadable, message
from wenhen.kit.progress import Step
from wenhen.pages.model import Page
from wenhen.sites.model import Site
from wenhen.steps.claims import Claim

# The OCR budget of a host per day in China. OCR takes about a second per picture.


def may_read_pictures(context: Context, page: Page) -> bool:
    """Return whether the OCR budget of the page's host is not used up."""
    return pictures_left_today(context, page.host) > 0


def pictures_left_today(context: Context, host: str) -> int:
    """Return about how many pictures of a host may still be read today. Concurrent workers may count inexactly."""
    mark = context.store.marks.get(_budget_mark(host))
    used = int(str(mark["read"])) if mark is not None and mark["day"] == _budget_day(context) else 0
    return max(0, context.settings.worker.pictures_per_day - used)


def count_picture(context: Context, host: str) -> None:
    """Count one picture against the daily budget of its host."""
    read = context.settings.worker.pictures_per_day - pictures_left_today(context, host) + 1
    context.store.marks.set(_budget_mark(host), {"day": _budget_day(context), "read": read})


def _budget_mark(host: str) -> str:
    return f"pictures:{host}"


def _budget_day(context: Context) -> str:
    return china_day(context.now()).isoformat()


# OCR of pages whose text is in pictures. Each picture is read once. A page comes here from extraction and returns to
# it.


NO_READER = "documents.no_reader"
MAX_REPORTED_PICTURES = 20  # unread pictures of one page that are reported


@dataclass(frozen=True, slots=True)
class PagePictures:
    """The text in the pictures of a capture, and how many pictures are unread.

    texts: by URL of the picture, or by page number of a PDF file. None for a PDF file if no OCR engine is installed.
    unread: number of unread pictures.
    lost: why pictures could not be read.
    """

    texts: Mapping[str, PictureText] | None = field(default_factory=dict)
    unread: int = 0
    lost: tuple[Message, ...] = ()


def load_picture_texts(
    context: Context, capture: Capture, body: bytes, assets: Sequence[PageAsset] | None = None
) -> PagePictures:
    """Return the OCR results for the pictures of a page, or for the scanned pages of a PDF file.

    body: the bytes from which the text is extracted. assets: of the capture, if the caller has them.
    """
    if detect_response_kind(body, capture.headers, capture.url) is FileKind.PDF:
        pages = {id.rpartition(":")[2]: text for id, text in _document_texts(context, capture.body_digest).items()}
        return PagePictures(pages if pages or is_ocr_installed() else None)
    assets = capture_assets(context, capture) if assets is None else assets
    fetched = [asset for asset in assets if asset.is_picture]
    known = _known_texts(context, {picture.digest for picture in fetched})
    texts = {picture.address: known[picture.digest] for picture in fetched if picture.digest in known}
    broken = [(address, text.problem) for address, text in texts.items() if text.problem]
    lost = tuple(
        message("pictures.lost", address=address, reason=reason) for address, reason in broken[:MAX_REPORTED_PICTURES]
    )
    return PagePictures(texts, len({picture.digest for picture in fetched} - known.keys()), lost)


def capture_assets(context: Context, capture: Capture) -> list[PageAsset]:
    """Return the assets of a capture. The list is empty if it has none or the store has lost them."""
    if capture.assets_digest is None:
        return []
    try:
        return unpack_assets(context.store.blobs.get(capture.assets_digest))
    except NotFound:
        return []


def capture_styles(context: Context, capture: Capture) -> list[str]:
    """Return the style sheets that were fetched with a page."""
    return _style_texts(capture_assets(context, capture))


def _style_texts(assets: Iterable[PageAsset]) -> list[str]:
    return [asset.content.decode("utf-8", "replace") for asset in assets if asset.is_style]


MAX_KEPT_ARCHIVES = 16  # archives of style sheets


class AssetReader:
    """Reads the assets of captures, and their style sheets as text.

    Pages of a site link to the same sheets, so archives of sheets alone are kept. Archives with pictures may be large,
    and each page has its own.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._kept: dict[str, tuple[list[PageAsset], list[str]]] = {}

    def read(self, capture: Capture) -> tuple[Sequence[PageAsset], Sequence[str]]:
        """Return what `capture_assets` and `capture_styles` do."""
        digest = capture.assets_digest
        if digest is None:
            return (), ()
        if digest in self._kept:
            return self._kept[digest]
        assets = capture_assets(self._context, capture)
        read = assets, _style_texts(assets)
        if all(asset.is_style for asset in assets):
            if len(self._kept) == MAX_KEPT_ARCHIVES:
                self._kept.clear()
            self._kept[digest] = read
        return read


def read_pictures(context: Context, claim: Claim[Page]) -> Step | None:
    """Read the pictures of a page by OCR within the budget of its host, and queue its extraction.

    Returns the next step, or None if the claim was lost.
    """
    page = claim.record
    for text in islice(_read_unread(context, page.capture), pictures_left_today(context, page.host)):
        context.store.picture_texts.put(text)
        count_picture(context, page.host)
    return Step.EXTRACT if context.store.pages.advance(claim, Step.EXTRACT) else None


def _known_texts(context: Context, digests: Collection[str]) -> dict[str, PictureText]:
    """Return the known OCR results by digest.

    A failure for lack of an OCR engine counts as unread once an engine is installed.
    """
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
    """Yield OCR results for pictures or scanned pages that are unread."""
    fetched = {asset.digest: asset.content for asset in capture_assets(context, capture) if asset.is_picture}
    if fetched:
        known = _known_texts(context, fetched.keys())
        yield from (read_picture(content, id) for id, content in fetched.items() if id not in known)
        return
    body = context.store.blobs.get(capture.body_digest)
    if detect_response_kind(body, capture.headers, capture.url) is FileKind.PDF:
        known = _document_texts(context, capture.body_digest)
        yield from read_scans(body, capture.body_digest, [int(id.rpartition(":")[2]) for id in known])


# Font deobfuscation, for pages whose font shows other characters than the text contains. An administrator has to allow
# it for the site. The learned mapping is stored by the digest of the font.


DECIPHERED_NOTE = "deciphered"  # the note of a page whose font was deobfuscated


def decipher_page(
    context: Context,
    page: Page,
    site: Site | None,
    body: bytes,
    headers: Sequence[tuple[str, str]],
    extracted: ExtractedPage,
) -> ExtractedPage:
    """Return the page as its font displays it.

    Returns `extracted` unchanged if nothing suggests an obfuscated font or the site does not allow deobfuscation. The
    same holds without a reference font, or if the font of the page exceeds the bounds.
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
    except Unreadable as error:  # the text extracted without deobfuscation stays valid
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
