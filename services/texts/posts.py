"""Who wrote what stands in a page's text: the posts of a thread, of one page or of several that make one text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from crawler.extract.posts.holds_posts import ThreadPage, may_hold_posts
from crawler.extract.posts.post import PlacedPost, Precision, Quotation
from crawler.extract.read_page import read_posts
from pipeline.pages.texts_over_several_pages import pages_after
from services.context import Product
from services.texts.pages import text_of
from store.errors import NotFound, Unreadable
from store.records import Capture, Case, Page, Passage

_QUOTED: Final = 0.8  # of what a post has of a passage


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePost:
    """A post that a passage of the page stands in. quoted: nearly all that it has of the passage, it quotes;
    quoted_from: whose words it says these are.
    """

    floor: int | None  # its number in the thread
    author: str | None
    written_at: datetime | None
    precision: Precision | None  # of that
    quoted: bool
    quoted_from: str | None


def posts_of_page(product: Product, page: Page) -> Sequence[PlacedPost]:
    """The posts of a page's text in its order; none where the page is no thread, or its capture is lost."""
    return _posts(product, page.capture, page, text_of(product, page))


def posts_of_case(product: Product, case: Case) -> Mapping[Passage, Sequence[PassagePost]]:
    """The posts that each passage stands in, by the capture in which the copy was found."""
    try:
        text = product.store.blobs.get_text(case.page_text_digest)
    except NotFound:
        return {}
    page = product.store.pages.many([case.page_id]).get(case.page_id)
    posts = _posts(product, case.capture, page, text)
    return {one: found for one in case.match.passages if (found := tuple(_of_passage(posts, one)))}


def _posts(product: Product, capture: Capture, page: Page | None, text: str) -> Sequence[PlacedPost]:
    if not text:
        return ()
    try:
        first = _body(product, capture)
        if not may_hold_posts(first[0]):
            return ()
        further = pages_after(product, page.url, page.part) if page is not None else ()
        return read_posts([first, *(_body(product, one.capture) for one in further)], text)
    except (NotFound, Unreadable):
        return ()


def _body(product: Product, capture: Capture) -> ThreadPage:
    return product.store.blobs.get(capture.read_digest), capture.read_headers, capture.fetched_at


def _of_passage(posts: Sequence[PlacedPost], passage: Passage) -> Iterator[PassagePost]:
    for post in posts:
        start, end = max(post.start, passage.page_start), min(post.end, passage.page_end)
        if start < end:
            quotation = _around(post.quotations, start, end)
            yield PassagePost(
                floor=post.floor,
                author=post.author,
                written_at=post.written_at,
                precision=post.precision,
                quoted=quotation is not None,
                quoted_from=None if quotation is None else quotation.author,
            )


def _around(quotations: Sequence[Quotation], start: int, end: int) -> Quotation | None:
    """The quotation that holds nearly all of a stretch."""
    covered = ((min(one.end, end) - max(one.start, start), one) for one in quotations)
    return next((one for length, one in covered if length >= _QUOTED * (end - start)), None)
