"""Look up crawled pages, their texts and raw bodies, and the posts of threads."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from crawler.capture import Capture
from crawler.extraction.charset import decode_bytes
from crawler.extraction.markup_prescan import may_hold_posts
from crawler.extraction.model import PlacedPost, Precision, Quotation, ThreadPage
from crawler.extraction.sandbox_calls import read_posts
from matcher.model import Passage
from wenhen.kit.errors import NotFound, Unreadable
from wenhen.kit.progress import page_id
from wenhen.pages.model import Page
from wenhen.pages.multipart import following_pages
from wenhen.product.context import Product

if TYPE_CHECKING:  # cases import pages
    from wenhen.cases.model import Case

# Crawled pages for people: the extracted text and the raw body.


MAX_RAW_BYTES: Final = 100_000  # bytes of a body that are shown
_MAX_BROKEN_SHARE: Final = 0.05  # share of undecodable characters above which bytes are not text
OPENING_CHARACTERS: Final = 5_000  # characters of a page whose fingerprint is shown, as many as fit into a form


def find_page(product: Product, given: str) -> Page:
    """Return the page with this id or URL. Raises `NotFound`."""
    return product.store.pages.get(page_id(given) if "/" in given else given)


def page_text(product: Product, page: Page) -> str:
    """Return the text extracted from the newest capture, or "" if there is none."""
    return "" if page.text_digest is None else product.store.blobs.get_text(page.text_digest)


@dataclass(frozen=True, slots=True)
class RawBody:
    """The beginning of a body as the server sent it, decoded.

    left_out: number of bytes that follow.
    """

    text: str
    charset: str
    left_out: int


def load_raw_body(product: Product, page: Page) -> RawBody | None:
    """Load the raw body of the newest capture.

    Returns None for pictures, documents and other binary data, and if the body is no longer stored.
    """
    try:
        body = product.store.blobs.get(page.capture.body_digest)
    except NotFound:
        return None
    shown = body[:MAX_RAW_BYTES]
    charset = page.charset or decode_bytes(shown).charset  # not extracted yet
    text = shown.decode(charset, "replace")
    if b"\0" in shown or text.count("\ufffd") > _MAX_BROKEN_SHARE * len(text):
        return None
    return RawBody(text, charset, len(body) - len(shown))


# Authors of a text: the posts of a thread, over one or several pages.


_MIN_QUOTED_SHARE: Final = 0.8  # of the overlap of a post with a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePost:
    """A post that overlaps a passage of the page.

    quoted: whether nearly all of the overlap is a quotation.
    quoted_from: the quoted author that the post names.
    """

    floor: int | None  # number of the post in the thread
    author: str | None
    written_at: datetime | None
    precision: Precision | None  # of `written_at`
    quoted: bool
    quoted_from: str | None


def posts_of_page(product: Product, page: Page) -> Sequence[PlacedPost]:
    """Return the posts of a page in text order. The result is empty if the page is no thread or its capture is lost."""
    return _find_posts(product, page.capture, page, page_text(product, page))


def posts_of_case(product: Product, case: "Case") -> Mapping[Passage, Sequence[PassagePost]]:
    """Return the posts that overlap each passage, as of the capture in which the copy was found."""
    try:
        text = product.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return {}
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    posts = _find_posts(product, case.capture, page, text)
    return {passage: covering for passage in case.match.passages if (covering := tuple(_passage_posts(posts, passage)))}


def _find_posts(product: Product, capture: Capture, page: Page | None, text: str) -> Sequence[PlacedPost]:
    if not text:
        return ()
    try:
        first = _thread_page(product, capture)
        if not may_hold_posts(first[0]):
            return ()
        further = following_pages(product, page.url, page.part) if page is not None else ()
        return read_posts([first, *(_thread_page(product, thread_page.capture) for thread_page in further)], text)
    except (NotFound, Unreadable):
        return ()


def _thread_page(product: Product, capture: Capture) -> ThreadPage:
    return product.store.blobs.get(capture.read_digest), capture.read_headers, capture.fetched_at


def _passage_posts(posts: Sequence[PlacedPost], passage: Passage) -> Iterator[PassagePost]:
    for post in posts:
        start, end = max(post.start, passage.page_start), min(post.end, passage.page_end)
        if start < end:
            quotation = _covering_quotation(post.quotations, start, end)
            yield PassagePost(
                floor=post.floor,
                author=post.author,
                written_at=post.written_at,
                precision=post.precision,
                quoted=quotation is not None,
                quoted_from=None if quotation is None else quotation.author,
            )


def _covering_quotation(quotations: Sequence[Quotation], start: int, end: int) -> Quotation | None:
    """Return the quotation that covers at least `_MIN_QUOTED_SHARE` of the span."""
    covered = ((min(quotation.end, end) - max(quotation.start, start), quotation) for quotation in quotations)
    return next((quotation for length, quotation in covered if length >= _MIN_QUOTED_SHARE * (end - start)), None)
