"""A chapter or an article over several pages: one text, kept by its first page.

Every page has its own record, with its own text in `Page.part`. The first page known carries the joined text, which is
what is matched; the others have none and the note PART. Pages come in any order: whichever comes, the first is read
again.
"""

from collections.abc import Iterator
from datetime import timedelta

from crawler.crawl.canonical_addresses import any_scheme, at_other_scheme
from crawler.extract.extracted_page import ExtractedPage
from pipeline.context import Context
from store.messages import Message
from store.records import OwnerKind, Page, Part, Step
from store.rules.record_ids import page_id

PART = "part"
MOST_PARTS = 100
PATIENCE = timedelta(seconds=10)
WAITING = Message("pipeline.waits_for_part")


def part_of(context: Context, extracted: ExtractedPage) -> Part | None:
    """What is kept of a page that says that it is one of several."""
    place = extracted.place
    if place.previous_page is None and place.next_page is None:
        return None
    digest = context.store.blobs.put_text(extracted.text) if extracted.text else None
    return Part(text_digest=digest, previous=place.previous_page, next=place.next_page, chapter=place.chapter)


def follows(context: Context, url: str, part: Part | None) -> bool:
    """Whether the page before this one is known, and agrees."""
    return _before(context, url, part) is not None


def waits(context: Context, part: Part | None) -> bool:
    """Whether the page before this one is stored and about to be read for the first time."""
    before = _known(context, part.previous) if part else None
    return before is not None and before.version == 0 and before.part is None and before.progress.step is Step.EXTRACT


def joined(context: Context, url: str, part: Part | None, text: str) -> str:
    """The text of a page with those of the pages after it, as far as they are known."""
    digests = [one.part.text_digest for one in pages_after(context, url, part) if one.part]
    further = (context.store.blobs.get_text(digest) for digest in digests if digest)
    return "\n".join(filter(None, (text, *further)))


def pages_after(context: Context, url: str, part: Part | None) -> Iterator[Page]:
    """The pages that follow one in its text, as far as they are known."""
    for _ in range(MOST_PARTS):
        following = _after(context, url, part)
        if following is None or following.part is None:
            return
        yield following
        url, part = following.url, following.part


def tell_neighbours(context: Context, page: Page) -> None:
    """Have the first page read again when another came or changed, and the next one when it was the first till now."""
    following = _after(context, page.url, page.part)
    if following is not None and following.note != PART:
        _read_again(context, following)
    first, seen = page, {page.id}
    while (before := _before(context, first.url, first.part)) is not None and before.id not in seen:
        first = before
        seen.add(first.id)
    if first.id != page.id:
        _read_again(context, first)


def _before(context: Context, url: str, part: Part | None) -> Page | None:
    found = _known(context, part.previous) if part else None
    return found if found and part and found.part and _agree(found.url, found.part, url, part) else None


def _after(context: Context, url: str, part: Part | None) -> Page | None:
    found = _known(context, part.next) if part else None
    return found if found and part and found.part and _agree(url, part, found.url, found.part) else None


def _agree(first_url: str, first: Part, second_url: str, second: Part) -> bool:
    """Each names the other, and if both tell a chapter's number it is the same."""
    same = first.chapter is None or second.chapter is None or first.chapter == second.chapter
    return same and _one(first.next, second_url) and _one(second.previous, first_url)


def _one(url: str | None, other: str) -> bool:
    return url is not None and any_scheme(url) == any_scheme(other)


def _known(context: Context, url: str | None) -> Page | None:
    if url is None:
        return None
    ids = [page_id(one) for one in (url, at_other_scheme(url)) if one]
    found = context.store.pages.many(ids)
    return next((found[id] for id in ids if id in found), None)


def _read_again(context: Context, page: Page) -> None:
    if context.store.pages.restart(page.id, Step.EXTRACT):
        context.enqueue(OwnerKind.PAGE, [page.id], Step.EXTRACT)
