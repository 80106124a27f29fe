"""Define aligned spans and measure what they cover in both texts.

Every figure of copied text comes from here: screens, API, reports, notices and reasons.
The figures count characters of passages less their gaps. White space is no character. Text that several passages share
counts once. Nothing is rounded.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np

from fingerprinter.alphabet import code_points
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


class Wanted(NamedTuple):
    """What passages must have to be of use. Those that cannot have it are not measured, and may be left out.

    weight: all passages together have more. letters: each passage has as many.
    """

    weight: float = 0.0
    letters: int = 0

    def allows(self, spans: Iterable[AlignedSpan]) -> bool:
        """Return whether spans may weigh more, whichever of them are joined or left out."""
        return sum(span.weight for span in spans) > self.weight - _ROUNDING


ALL_WANTED: Final = Wanted()


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


_ROUNDING: Final = 1e-6  # weight by which two sums of the same weights may differ
_LAST_SPACE: Final = 0x3000  # no code point beyond is white space
_IS_SPACE: Final = np.array([chr(point).isspace() for point in range(_LAST_SPACE + 1)])


@dataclass(frozen=True, slots=True, eq=False)
class CountedText:
    """The characters of a text: its code points without white space. spaces: offsets of that in order."""

    characters: int
    spaces: Sequence[int]  # a list, which is bisected in a tenth of the time of an array

    def between(self, start: int, end: int) -> int:
        """Count the characters of a span."""
        return max(0, end - start) - (bisect_left(self.spaces, end) - bisect_left(self.spaces, start))


@lru_cache(maxsize=8)
def count_text(text: str) -> CountedText:
    """Return the characters of a text. Cached, as a page is compared with many works."""
    points = code_points(text)
    spaces = np.flatnonzero(_IS_SPACE[np.minimum(points, _LAST_SPACE)] & (points <= _LAST_SPACE))
    return CountedText(len(text) - len(spaces), spaces.tolist())


def count_characters(text: str) -> int:
    """Count the code points of a text that are no white space."""
    return count_text(text).characters


def copied_length(passages: Iterable[Passage], side: Side, text: CountedText | None = None) -> int:
    """Count the copied characters; without the text its white space counts as well."""
    spans = (span for passage in passages for span in copied_spans(passage, side))
    if text is None:
        return int(covered_length(spans))
    return sum(text.between(start, end) for start, end in _union(spans))


def _union(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    reach = 0
    for start, end in sorted(spans):
        if end > max(start, reach):
            yield max(start, reach), end
            reach = end


def copied_share(passages: Iterable[Passage], side: Side, text: CountedText) -> float:
    """Share of the characters of a text that was copied, in [0, 1]. It is 0 for a text without any."""
    return share_of_text(copied_length(passages, side, text), text)


def share_of_text(copied: int, text: CountedText) -> float:
    """Share of the characters of a text that so many copied ones are, in [0, 1]. It is 0 for a text without any."""
    return min(1.0, copied / text.characters) if text.characters > 0 else 0.0
