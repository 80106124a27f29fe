"""The passages of a case in the words of both texts, and where each stands, as a report tells them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from crawler.extract.files.document import TextPlace
from services.cases.passage_places import FramedPicture, framed_places_of
from services.context import Product
from services.texts.posts import PassagePost, posts_of_case
from store.records import Case, Change, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageQuote:
    """One copied stretch with both texts; offsets in code points, end exclusive."""

    number: int  # from 1, in the order of the page
    page_start: int
    page_end: int
    work_start: int
    work_end: int
    page_text: str | None  # None when the store has lost the text; the case's `problems` say so
    work_text: str | None
    similarity: float
    change: Change
    place: TextPlace | None = None  # in a file or a picture, where it begins
    pictures: tuple[FramedPicture, ...] = ()  # that it was read from
    posts: tuple[PassagePost, ...] = ()  # of a thread, that it stands in


def quotes(passages: Collection[Passage], page_text: str | None, work_text: str | None) -> tuple[PassageQuote, ...]:
    """The passages in the order of the page, numbered, in the words of both texts."""
    return tuple(_quote(number, one, page_text, work_text) for number, one in enumerate(_in_order(passages), 1))


def placed(product: Product, case: Case, told: Sequence[PassageQuote], pictures: int) -> tuple[PassageQuote, ...]:
    """With the place of each in its file or thread, and so many of the pictures that it was read from."""
    places, framed = framed_places_of(product, case, pictures)
    posts = posts_of_case(product, case)
    return tuple(
        replace(quote, place=places.get(one), pictures=tuple(framed.get(one, ())), posts=tuple(posts.get(one, ())))
        for quote, one in zip(told, _in_order(case.match.passages), strict=True)
    )


def _in_order(passages: Collection[Passage]) -> list[Passage]:
    return sorted(passages, key=lambda passage: (passage.page_start, passage.work_start))


def _quote(number: int, passage: Passage, page_text: str | None, work_text: str | None) -> PassageQuote:
    return PassageQuote(
        number=number,
        page_start=passage.page_start,
        page_end=passage.page_end,
        work_start=passage.work_start,
        work_end=passage.work_end,
        page_text=None if page_text is None else page_text[passage.page_start : passage.page_end],
        work_text=None if work_text is None else work_text[passage.work_start : passage.work_end],
        similarity=passage.similarity,
        change=passage.change,
    )
