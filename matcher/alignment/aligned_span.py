"""Define aligned spans and count what they cover in both texts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise

from matcher.model import Passage


@dataclass(frozen=True, slots=True)
class AlignedSpan:
    """One copied stretch by its letters, ends exclusive; weight as in `block_weights`."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    weight: float
    covered: float  # what the page's letters inside blocks tell
    blocks: tuple[int, ...]  # the numbers of those that it is made of

    @property
    def bounds(self) -> tuple[int, int, int, int]:
        """First and last letters on both sides, ends exclusive."""
        return self.page_start, self.page_end, self.work_start, self.work_end


def covered_length(spans: Iterable[tuple[float, float]]) -> float:
    """What the spans cover together."""
    total = reach = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def merge_spans(a: AlignedSpan, b: AlignedSpan) -> AlignedSpan:
    """Both as one, with what lies between them."""
    return AlignedSpan(
        min(a.page_start, b.page_start),
        max(a.page_end, b.page_end),
        min(a.work_start, b.work_start),
        max(a.work_end, b.work_end),
        a.weight + b.weight,
        a.covered + b.covered,
        a.blocks + b.blocks,
    )


# How much of two texts was copied. Every figure of it comes from here: screens, the API, reports, notices, reasons.
#
# Counted are the characters of passages less their gaps, what several passages share once; nothing is rounded.


class Side(StrEnum):
    """One of the two texts."""

    PAGE = "page"
    WORK = "work"


def copied_spans(passage: Passage, side: Side) -> Iterator[tuple[int, int]]:
    """The stretches of a passage that were copied, in code points, ends exclusive, in order."""
    if side is Side.PAGE:
        start, end, gaps = passage.page_start, passage.page_end, passage.page_gaps
    else:
        start, end, gaps = passage.work_start, passage.work_end, passage.work_gaps
    bounds = [start, *chain.from_iterable(gaps), end]
    return ((first, last) for first, last in list(pairwise(bounds))[::2] if first < last)


def copied_length(passages: Iterable[Passage], side: Side) -> int:
    """How many code points were copied."""
    return int(covered_length(span for passage in passages for span in copied_spans(passage, side)))


def copied_share(passages: Iterable[Passage], side: Side, length: int) -> float:
    """Which share of a text of this length was copied, in [0, 1]; 0 of an empty one."""
    return min(1.0, copied_length(passages, side) / length) if length > 0 else 0.0
