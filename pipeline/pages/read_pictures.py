"""Pages whose text stands in pictures: which of those are still to be read, and reading them, each once.

A page comes here from its extraction and goes back to it. The pictures of one host have a daily budget.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from crawler.evidence.packed_assets import PageAsset, unpacked
from crawler.extract.files.file_kinds import FileKind, file_kind
from crawler.extract.picture_in_child import read_picture, read_scans
from crawler.extract.pictures.character_recognition import can_read
from pipeline.context import Context
from pipeline.pages.picture_budget import count, left_today
from store.errors import NotFound
from store.messages import Message, message
from store.ports import Claim
from store.records import Capture, Page, PictureText, Step

NO_READER = "documents.no_reader"
MOST_TOLD = 20  # pictures of one page of which it is told why they are not read


@dataclass(frozen=True, slots=True)
class PagePictures:
    """What is written in the pictures of a capture, by their addresses, or by the pages of a file; and what of them is
    not read. texts: None of a file whose pages nothing is there to read with.
    """

    texts: Mapping[str, PictureText] | None = field(default_factory=dict)
    unread: int = 0
    lost: tuple[Message, ...] = ()


def pictures_of(context: Context, capture: Capture, body: bytes) -> PagePictures:
    """Of the pictures that were fetched with a page, or of a document's own pages; body: what its text is read from."""
    if file_kind(body, capture.headers, capture.url) is FileKind.PDF:
        pages = {id.rpartition(":")[2]: text for id, text in _of_document(context, capture.body_digest).items()}
        return PagePictures(pages if pages or can_read() else None)
    fetched = [one for one in fetched_with(context, capture) if one.is_picture]
    known = _read(context, {one.digest for one in fetched})
    texts = {one.address: known[one.digest] for one in fetched if one.digest in known}
    broken = [(address, text.problem) for address, text in texts.items() if text.problem]
    lost = tuple(message("pictures.lost", address=address, reason=reason) for address, reason in broken[:MOST_TOLD])
    return PagePictures(texts, len({one.digest for one in fetched} - known.keys()), lost)


def fetched_with(context: Context, capture: Capture) -> list[PageAsset]:
    """The assets of a capture; none where there are none, or the store has lost them."""
    if capture.assets_digest is None:
        return []
    try:
        return unpacked(context.store.blobs.get(capture.assets_digest))
    except NotFound:
        return []


def styles_of(context: Context, capture: Capture) -> list[str]:
    """The style sheets that were fetched with a page."""
    return [one.content.decode("utf-8", "replace") for one in fetched_with(context, capture) if one.is_style]


def read_pictures(context: Context, claim: Claim[Page]) -> Step | None:
    """Read what is written in the pictures of a page, as far as the budget of its host goes; then its text is read."""
    page = claim.record
    for text in islice(_texts(context, page.capture), left_today(context, page.host)):
        context.store.picture_texts.put(text)
        count(context, page.host)
    return Step.EXTRACT if context.store.pages.advance(claim, Step.EXTRACT) else None


def _read(context: Context, digests: Collection[str]) -> dict[str, PictureText]:
    """Those that were read; what nothing was there to read with counts as unread once there is."""
    return _lasting(context.store.picture_texts.known(digests))


def _of_document(context: Context, digest: str) -> dict[str, PictureText]:
    return _lasting(context.store.picture_texts.of_document(digest))


def _lasting(read: Mapping[str, PictureText]) -> dict[str, PictureText]:
    again = bool(read) and can_read()
    return {
        id: one for id, one in read.items() if not (again and one.problem is not None and one.problem.code == NO_READER)
    }


def _texts(context: Context, capture: Capture) -> Iterator[PictureText]:
    """The readings of what is unread, one by one."""
    fetched = {one.digest: one.content for one in fetched_with(context, capture) if one.is_picture}
    if fetched:
        known = _read(context, fetched.keys())
        yield from (read_picture(content, id) for id, content in fetched.items() if id not in known)
        return
    body = context.store.blobs.get(capture.body_digest)
    if file_kind(body, capture.headers, capture.url) is FileKind.PDF:
        known = _of_document(context, capture.body_digest)
        yield from read_scans(body, capture.body_digest, [int(id.rpartition(":")[2]) for id in known])
