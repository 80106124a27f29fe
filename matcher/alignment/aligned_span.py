"""Define aligned spans and measure what they cover in both texts.

Every figure of copied text comes from here: screens, API, reports, notices and reasons.
The figures count characters of passages less their gaps. Text that several passages share counts once. Nothing is
rounded.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from matcher.model import Passage


@dataclass(frozen=True, slots=True)
class AlignedSpan:
    """One copied span by its initials, ends exclusive. weight: as in `block_weights`."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    weight: float
    covered: float  # information of the page's initials inside blocks
    blocks: tuple[int, ...]  # numbers of the blocks in it

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """First and last initials on both sides, ends exclusive."""
        return self.page_start, self.page_end, self.work_start, self.work_end


def covered_length(spans: Iterable[tuple[float, float]]) -> float:
    """Length of the union of the spans."""
    total = reach = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def merge_spans(a: AlignedSpan, b: AlignedSpan) -> AlignedSpan:
    """Merge two spans into one that includes the text between them."""
    return AlignedSpan(
        min(a.page_start, b.page_start),
        max(a.page_end, b.page_end),
        min(a.work_start, b.work_start),
        max(a.work_end, b.work_end),
        a.weight + b.weight,
        a.covered + b.covered,
        a.blocks + b.blocks,
    )


class Side(StrEnum):
    """One of the two texts."""

    PAGE = "page"
    WORK = "work"


def copied_spans(passage: Passage, side: Side) -> Iterator[tuple[int, int]]:
    """Yield the copied spans of a passage in order, in code points, ends exclusive."""
    if side is Side.PAGE:
        start, end, gaps = passage.page_start, passage.page_end, passage.page_gaps
    else:
        start, end, gaps = passage.work_start, passage.work_end, passage.work_gaps
    bounds = [start, *chain.from_iterable(gaps), end]
    return ((first, last) for first, last in list(pairwise(bounds))[::2] if first < last)


def copied_length(passages: Iterable[Passage], side: Side) -> int:
    """Count the copied code points."""
    return int(covered_length(span for passage in passages for span in copied_spans(passage, side)))


def copied_share(passages: Iterable[Passage], side: Side, length: int) -> float:
    """Share of a text of this length that was copied, in [0, 1]. It is 0 for an empty text."""
    return min(1.0, copied_length(passages, side) / length) if length > 0 else 0.0
