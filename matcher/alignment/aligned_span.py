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
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points
from matcher.alignment.agreement import (
    IS_SPACE,
    LAST_SPACE,
    MIN_SAME_CHARACTER_SHARE,
    Agreement,
    Gaps,
    PlainSide,
    SpanMeasure,
    chance_ends,
    find_gaps,
    measure_agreement,
    measure_plain_span,
    settle_ends,
    without_blanks,
)
from matcher.alignment.seed_and_extend import Blocks
from matcher.model import Passage
from matcher.retrieval.page_readings import PageReading


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


@dataclass(frozen=True, slots=True, eq=False)
class TextSide:
    """One of two aligned texts: its string and code points, its initials, and the code point of each initial."""

    text: str
    characters: NDArray[np.uint32]
    initials: Initials
    points: NDArray[np.uint32]  # 0 at blanks of a reading
    info: NDArray[np.float64]  # cumulative information
    fragments: NDArray[np.bool_]  # whether each initial lies in a fragment of a passage
    whole: Initials  # all initials of the text
    kept: NDArray[np.int64] | None  # numbers of the compared initials among all, if not all
    reading: PageReading | None = None  # how the page is read, if not as usual

    @property
    def is_plain(self) -> bool:
        """Whether all initials are compared, in reading order."""
        return self.kept is None and self.initials.in_order

    def as_plain(self) -> PlainSide:
        """Return the text as compiled functions read it."""
        letters = self.initials
        return PlainSide(letters.codes, self.points, letters.starts, letters.ends, self.characters, self.fragments)

    def count(self, start: int, end: int) -> int:
        """Count the initials of [start, end), with those between them that are not compared."""
        return end - start if self.kept is None else int(self.kept[end - 1] - self.kept[start]) + 1

    def among_all(self, agreed: NDArray[np.int32]) -> NDArray[np.int32]:
        """Renumber this side of pairs of initials among all initials of the text."""
        if self.kept is None:
            return agreed
        numbers = self.kept[agreed[:, 0]]
        if self.reading is not None:
            numbers = self.reading.numbers[numbers]
            agreed, numbers = agreed[numbers >= 0], numbers[numbers >= 0]
        return np.stack((numbers.astype(np.int32), agreed[:, 1]), axis=1)

    def gaps(self, span: tuple[int, int], agreed: NDArray[np.int32]) -> Gaps:
        """List what was not copied of a passage that covers this span. agreed: the agreeing initials."""
        fragments = self.fragments
        if self.kept is not None:
            fragments = np.zeros(len(self.whole), np.bool_)
            lettered = slice(None) if self.reading is None else ~self.reading.blank
            fragments[self.kept[lettered]] = self.fragments[lettered]
            agreed = self.kept[agreed].astype(np.int32)
        return find_gaps(self.whole, fragments, agreed, span)

    def descends(self, start: int, end: int) -> NDArray[np.bool_]:
        """Whether each initial of [start, end) stands behind the next one: bool[end - start - 1]."""
        return np.diff(self.initials.starts[start:end].astype(np.int64)) < 0

    def unbroken(self, start: int, length: int) -> tuple[int, int]:
        """Return start and length of the longest part of a run whose initials are adjacent on the page."""
        if self.initials.in_order and self.kept is None:
            return start, length
        breaks = self.descends(start, start + length)
        if self.kept is not None:
            breaks |= np.diff(self.kept[start : start + length]) > 1
        bounds = np.concatenate(([0], np.flatnonzero(breaks) + 1, [length]))
        longest = int(np.diff(bounds).argmax())
        return start + int(bounds[longest]), int(bounds[longest + 1] - bounds[longest])


def measure_span(page: TextSide, work: TextSide, blocks: Blocks, span: AlignedSpan) -> SpanMeasure:
    """Measure what agrees in a span, and trim its ends."""
    if page.is_plain and work.is_plain:
        return measure_plain_span(page.as_plain(), work.as_plain(), blocks, span.blocks, span.bounds)
    return measure_any_span(page, work, blocks, span)


def measure_any_span(page: TextSide, work: TextSide, blocks: Blocks, span: AlignedSpan) -> SpanMeasure:
    """Measure a span of texts in any order, of which not all initials may be compared."""
    numbers = np.array(span.blocks)
    span_blocks = Blocks(*(column[numbers] for column in blocks))
    agreement = measure_agreement(page.initials.codes, page.points, work.initials.codes, work.points, span_blocks)
    if page.reading is not None and page.reading.blank.any():
        agreement = without_blanks(agreement, page.reading.blank)
    agreeing = len(agreement.agreed)
    bounds = span.bounds
    if agreeing - len(agreement.others) >= MIN_SAME_CHARACTER_SHARE * agreeing:
        bounds = _trim_span(page, work, span_blocks, bounds)
    page_span, work_span = settle_ends(
        page.text, page.initials.span(*bounds[:2]), work.text, work.initials.span(*bounds[2:])
    )
    return SpanMeasure(
        bounds,
        page_span,
        work_span,
        agreement.agreed,
        agreement.others,
        page.gaps(page_span, agreement.agreed[:, 0]),
        work.gaps(work_span, agreement.agreed[:, 1]),
        _longest_run(page, work, agreement),
        int(np.add.reduce(span_blocks.page_end - span_blocks.page_start)),
    )


def _trim_span(
    page: TextSide, work: TextSide, blocks: Blocks, span: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Trim chance agreement from the ends of a span, where both its sides end with one block."""
    page_start, page_end, work_start, work_end = span
    for block in zip(*(column.tolist() for column in blocks[:4]), strict=True):
        starts, ends = block[::2] == (page_start, work_start), block[1::2] == (page_end, work_end)
        if not (starts or ends):
            continue
        first, last = chance_ends(page.points[block[0] : block[1]], work.points[block[2] : block[3]])
        if starts:
            span = (span[0] + first, span[1], span[2] + first, span[3])
        if ends:
            span = (span[0], span[1] - last, span[2], span[3] - last)
    return span


def _longest_run(page: TextSide, work: TextSide, agreement: Agreement) -> int:
    """Count the characters in the longest run of initials with the same characters, on the shorter side.

    Invisible marks or spaces that a page inserts were not copied.
    """
    block = int(agreement.longest.argmax())
    length = int(agreement.longest[block])
    if not length:
        return 0
    start = int(agreement.page_start[block])
    page_first, length = page.unbroken(start, length)
    work_first = int(agreement.work_start[block]) + page_first - start
    page_span = page.initials.span(page_first, page_first + length)
    work_span = work.initials.span(work_first, work_first + length)
    spans = settle_ends(page.text, page_span, work.text, work_span)
    return min(
        len("".join(text[start:end].split()))  # characters without white space
        for text, (start, end) in zip((page.text, work.text), spans, strict=True)
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


_ROUNDING: Final = 1e-6  # weight by which two sums of the same weights may differ


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
    spaces = np.flatnonzero(IS_SPACE[np.minimum(points, LAST_SPACE)] & (points <= LAST_SPACE))
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
