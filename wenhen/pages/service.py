"""Look up crawled pages and their texts, and expire, remove and restore pages over time.

The texts of chapters and articles that span several pages are joined. Each page has its own record, with its own text
in `Page.part`. The first known page stores the joined text, which is matched. The other pages have no text and the note
PART. Pages arrive in any order, and each arrival triggers a new extraction of the first page.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from crawler.addresses import other_scheme_url, scheme_neutral_url
from crawler.capture import NOT_MODIFIED, Capture
from crawler.extraction.charset import decode_bytes
from crawler.extraction.markup_signs import may_hold_posts
from crawler.extraction.model import ExtractedPage, PlacedPost, Precision, Quotation, ThreadPage
from crawler.extraction.sandbox_calls import read_posts
from matcher.model import Passage
from wenhen.context.store_and_queue import Store
from wenhen.context.use_cases import Context, Product
from wenhen.kit.errors import Message, NotFound, Unreadable
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.pages.model import Page, Part
from wenhen.pages.rules import full_answer

if TYPE_CHECKING:
    from wenhen.cases.model import Case

PART_NOTE = "part"
MAX_PARTS = 100
PART_WAIT = timedelta(seconds=10)
WAITING_FOR_PART = Message("pipeline.waits_for_part")


def make_part(context: Context, extracted: ExtractedPage) -> Part | None:
    """Return the part record of a page, or None if it has neither a previous nor a next page."""
    place = extracted.place
    if place.previous_page is None and place.next_page is None:
        return None
    digest = context.store.blobs.put_text(extracted.text) if extracted.text else None
    return Part(text_digest=digest, previous=place.previous_page, next=place.next_page, chapter=place.chapter)


def has_previous_part(context: Context, url: str, part: Part | None) -> bool:
    """Return whether the previous page is known and links to this one."""
    return _previous_page(context, url, part) is not None


def must_wait_for_part(context: Context, part: Part | None) -> bool:
    """Return whether the previous page is stored but not extracted yet."""
    before = _known_page(context, part.previous) if part else None
    return before is not None and before.version == 0 and before.part is None and before.progress.step is Step.EXTRACT


def join_parts(context: Context, url: str, part: Part | None, text: str) -> str:
    """Join the text of a page with the texts of the known pages that follow it."""
    digests = [page.part.text_digest for page in following_pages(context, url, part) if page.part]
    further = (context.store.blobs.get_text(digest) for digest in digests if digest)
    return "\n".join(filter(None, (text, *further)))


def following_pages(context: Context, url: str, part: Part | None) -> Iterator[Page]:
    """Yield the known pages that follow a page in its text, at most `MAX_PARTS`."""
    for _ in range(MAX_PARTS):
        following = _next_page(context, url, part)
        if following is None or following.part is None:
            return
        yield following
        url, part = following.url, following.part


def reread_neighbours(context: Context, page: Page) -> None:
    """Queue neighbours for extraction after a part arrived or changed.

    This concerns the first page of the text, and the next page if it was the first one until now.
    """
    following = _next_page(context, page.url, page.part)
    if following is not None and following.note != PART_NOTE:
        _reread_page(context, following)
    first, seen = page, {page.id}
    while (before := _previous_page(context, first.url, first.part)) is not None and before.id not in seen:
        first = before
        seen.add(first.id)
    if first.id != page.id:
        _reread_page(context, first)


def _previous_page(context: Context, url: str, part: Part | None) -> Page | None:
    page = _known_page(context, part.previous) if part else None
    return page if page and part and page.part and _are_adjacent(page.url, page.part, url, part) else None


def _next_page(context: Context, url: str, part: Part | None) -> Page | None:
    page = _known_page(context, part.next) if part else None
    return page if page and part and page.part and _are_adjacent(url, part, page.url, page.part) else None


def _are_adjacent(first_url: str, first: Part, second_url: str, second: Part) -> bool:
    """Return whether each page links to the other and their chapter numbers, if both are known, are equal."""
    same = first.chapter is None or second.chapter is None or first.chapter == second.chapter
    return same and _is_same_url(first.next, second_url) and _is_same_url(second.previous, first_url)


def _is_same_url(url: str | None, other: str) -> bool:
    return url is not None and scheme_neutral_url(url) == scheme_neutral_url(other)


def _known_page(context: Context, url: str | None) -> Page | None:
    if url is None:
        return None
    ids = [page_id(known_url) for known_url in (url, other_scheme_url(url)) if known_url]
    pages = context.store.pages.many(ids)
    return next((pages[id] for id in ids if id in pages), None)


def _reread_page(context: Context, page: Page) -> None:
    if context.store.pages.restart(page.id, Step.EXTRACT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT)


# Crawled pages for people: the extracted text and the raw body.


MAX_RAW_BYTES: Final = 100_000  # bytes of a body that are shown
_MAX_BROKEN_SHARE: Final = 0.05  # share of undecodable characters above which bytes are not text
OPENING_CHARACTERS: Final = 5_000  # characters of a page whose fingerprint is shown, as many as fit into a form


def find_page(product: Product, reference: str) -> Page:
    """Return the page with this id or URL. Raises `NotFound`."""
    return product.store.pages.get(page_id(reference) if "/" in reference else reference)


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


# Pages that were not seen for a long time are removed from the page index. Their captures and cases stay.


EXPIRED_NOTE = "expired"
EXPIRY_BATCH_SIZE = 500


# Pages at an earlier step are fingerprinted on their way.
_FINGERPRINTED_STEPS = (Step.FINGERPRINT, Step.INDEX, Step.LOOK_UP, Step.ALIGN, Step.DONE)


def expire_pages(context: Context) -> int:
    """Retire the fingerprints of pages that were not seen for `index.page_days` days.

    Returns the number of expired pages. Retired fingerprints stop matching at once. The reconciler removes their
    postings later.
    """
    days = context.settings.index.page_days
    before = context.now() - timedelta(days=days)
    expired = 0
    while days and (ids := context.store.pages.unseen_since(before, EXPIRY_BATCH_SIZE)):
        expired += sum(_expire_page(context, id, before) for id in ids)
    return expired


def _expire_page(context: Context, id: str, before: datetime) -> bool:
    pages = context.store.pages
    if not pages.mark_expired(id, before, EXPIRED_NOTE):  # a new capture arrived after the query
        return False
    context.store.fingerprints.replace(OwnerKind.PAGE, id, [])
    # A capture between the two calls may have been fingerprinted before its fingerprints were retired.
    if pages.get(id).note != EXPIRED_NOTE and pages.restart(id, Step.FINGERPRINT, only_from=_FINGERPRINTED_STEPS):
        context.enqueue(OwnerKind.PAGE, [id], Step.FINGERPRINT)
    return True


def restore_expired_page(context: Context, page: Page) -> None:
    """Fingerprint an expired page again when it is seen, even if it is unchanged."""
    if page.note == EXPIRED_NOTE and context.store.pages.mark_unexpired(page.id, EXPIRED_NOTE, Step.FINGERPRINT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.FINGERPRINT)


# Pages that are gone, which confirms a takedown, and pages that return. `crawler.fetch.redirects` decides which
# responses mean that a page is gone.


def mark_page_gone(context: Context, url: str, reason: Message) -> bool:
    """Record that a server reports a page as gone, and mark its cases as absent.

    Returns False if the page is unknown or was gone before.
    """
    id = page_id(url)
    vanished = context.store.pages.mark_gone(id, context.now(), reason)
    mark_cases_gone(context, id)  # also if gone before: the earlier process may have died before this line
    return vanished


def mark_cases_gone(context: Context, id: str) -> None:
    """Mark the cases of a page as absent, in batches of 500."""
    while cases := context.store.cases.find(page_id=id, present=True, limit=500):
        context.store.cases.mark_absent([case.id for case in cases], context.now())


def restore_returned_page(context: Context, page: Page) -> None:
    """Look up a page again that was gone and is seen again, even if it is unchanged, so that its cases become
    present.
    """
    if page.gone_at is not None and context.store.pages.mark_back(page.id, Step.LOOK_UP):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.LOOK_UP)


# The evidence of a case is a full response, never a 304 Not Modified.


_MAX_CAPTURES = 1_000  # captures of one page


def find_full_capture(store: Store, page_id: str, capture: Capture) -> Capture:
    """Return the capture, or for a 304 the newest earlier capture with the same content and a full response."""
    if capture.status != NOT_MODIFIED:
        return capture
    return full_answer(store.pages.captures(page_id, limit=_MAX_CAPTURES), capture)
