"""A line of what was copied, for lists: the longest run of the first passages that agrees character by character."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from services.context import Product
from store.records import Case, Passage

PASSAGES: Final = 8  # of a case that are looked at
_BEFORE: Final = 4  # characters of the page before what was copied
_COPIED: Final = 80
_AFTER: Final = 16


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a page in one line: what was copied, and what stands around it."""

    before: str
    copied: str
    after: str


def excerpts(product: Product, cases: Collection[Case]) -> dict[int, Excerpt]:
    """By the number of the case; without those that have no passage, or whose text is lost."""
    longest = {case.number: _longest(case.match.passages) for case in cases if case.match.passages}
    texts = product.store.blobs.texts_there({case.page_text_digest for case in cases if case.number in longest})
    return {
        case.number: _excerpt(texts[case.page_text_digest], longest[case.number])
        for case in cases
        if case.number in longest and case.page_text_digest in texts
    }


def _longest(passages: Collection[Passage]) -> tuple[int, int]:
    """The longest stretch of the page without a gap."""
    stretches = [stretch for passage in passages for stretch in _stretches(passage)]
    return max(stretches, key=lambda stretch: stretch[1] - stretch[0])


def _stretches(passage: Passage) -> list[tuple[int, int]]:
    starts = [passage.page_start, *(end for _, end in passage.page_gaps)]
    ends = [*(start for start, _ in passage.page_gaps), passage.page_end]
    return list(zip(starts, ends, strict=True))


def _excerpt(text: str, stretch: tuple[int, int]) -> Excerpt:
    start, end = stretch[0], min(stretch[1], stretch[0] + _COPIED)
    return Excerpt(
        _line(text[max(0, start - _BEFORE) : start]),
        _line(text[start:end]).strip(),
        _line(text[end : end + _AFTER]),
    )


def _line(text: str) -> str:
    return " ".join(text.split())
