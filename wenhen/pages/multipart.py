"""Join the texts of chapters and articles that span several pages.

Each page has its own record, with its own text in `Page.part`. The first known page stores the joined text, which is
matched. The other pages have no text and the note PART. Pages arrive in any order, and each arrival triggers a new
extraction of the first page.
"""

from collections.abc import Iterator
from datetime import timedelta

from crawler.addresses import other_scheme_url, scheme_neutral_url
from crawler.extraction.model import ExtractedPage
from wenhen.kit.errors import Message
from wenhen.kit.progress import OwnerKind, Step, page_id
from wenhen.pages.model import Page, Part
from wenhen.product.context import Context

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
