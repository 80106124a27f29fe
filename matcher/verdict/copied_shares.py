"""How much of two texts was copied. Every figure of it comes from here: screens, the API, reports, notices, reasons.

Counted are the characters of passages less their gaps, what several passages share once; nothing is rounded.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import chain, pairwise

from matcher.alignment.stretch import covered
from store.records import Passage


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


def copied(passages: Iterable[Passage], side: Side) -> int:
    """How many code points were copied."""
    return int(covered(span for one in passages for span in copied_spans(one, side)))


def share(passages: Iterable[Passage], side: Side, length: int) -> float:
    """Which share of a text of this length was copied, in [0, 1]; 0 of an empty one."""
    return min(1.0, copied(passages, side) / length) if length > 0 else 0.0
