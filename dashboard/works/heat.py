"""Which parts of a work get copied: how many pages carry each stretch of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

BINS: Final = 120


@dataclass(frozen=True, slots=True)
class HeatStretch:
    """One part of the work, in code points, end exclusive; how many pages copy some of it."""

    start: int
    end: int
    pages: int


def strip(length: int, pages: Iterable[Iterable[tuple[int, int]]]) -> list[HeatStretch]:
    """The work cut into equal parts, at most `BINS`, from start to end.

    `pages` holds, for each page, the stretches of the work that it copies; a page counts once a part.
    """
    bins = min(BINS, length)
    changes = [0] * (bins + 1)
    for spans in pages:
        touched: set[int] = set()
        for start, end in spans:
            first, last = max(0, start), min(end, length)
            if first < last:
                touched.update(range(first * bins // length, (last - 1) * bins // length + 1))
        for place in touched:
            changes[place] += 1
            changes[place + 1] -= 1
    counts = list(accumulate(changes[:bins]))
    # The part that a code point belongs to is `point * bins // length`: each begins at the first point that gives it.
    starts = [-(-place * length // bins) for place in range(bins)] + [length]
    return [HeatStretch(starts[place], starts[place + 1], count) for place, count in enumerate(counts)]
