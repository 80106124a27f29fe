"""Where the passages lie in both texts, drawn as bands between two bars, and what the page has from other works."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from matcher.verdict.copied_shares import Side, copied_spans
from store.records import Change, Match, Passage

WIDTH: Final = 1_000.0  # of the drawing, in its own units
LEAST: Final = 2.0  # so that a sentence in a novel can be seen and hit
SEEN: Final = 1.0  # of a gap at least

Stretch = tuple[float, float]  # left edge and width


@dataclass(frozen=True, slots=True)
class RulerBand:
    """One passage on the ruler: the stretches that were copied on the page's bar and on the work's."""

    number: int
    change: Change
    page: tuple[Stretch, ...]
    work: tuple[Stretch, ...]

    @property
    def between(self) -> str:
        """The corners of what joins both bars, as SVG writes them."""
        left, right = self.page[0][0], sum(self.page[-1])
        work_left, work_right = self.work[0][0], sum(self.work[-1])
        return f"{left:g},14 {right:g},14 {work_right:g},42 {work_left:g},42"


def bands(passages: list[tuple[int, Passage]], page_length: int, work_length: int) -> list[RulerBand]:
    """The numbered passages by their place; lengths in code points, either may be 0."""
    return [
        RulerBand(
            number,
            passage.change,
            tuple(_stretches(_spans(passage, Side.PAGE), page_length)),
            tuple(_stretches(_spans(passage, Side.WORK), work_length)),
        )
        for number, passage in passages
    ]


def source_stretches(match: Match, page_length: int) -> list[Stretch]:
    """What was copied from another source, on the page's bar."""
    spans = sorted(span for passage in match.passages for span in copied_spans(passage, Side.PAGE))
    return list(_stretches(spans, page_length))


def _spans(passage: Passage, side: Side) -> list[tuple[int, int]]:
    """What was copied of a passage; the beginning of one of which nothing was, so that it has a place."""
    start = passage.page_start if side is Side.PAGE else passage.work_start
    return list(copied_spans(passage, side)) or [(start, start)]


def _stretches(spans: Iterable[tuple[int, int]], length: int) -> Iterator[Stretch]:
    """The spans on a bar, in order; a gap too narrow to be seen is none."""
    last: Stretch | None = None
    for left, width in (_place(start, end, length) for start, end in spans):
        if last and left - sum(last) < SEEN:
            last = (last[0], round(max(sum(last), left + width) - last[0], 2))
            continue
        if last:
            yield last
        last = (left, width)
    if last:
        yield last


def _place(start: int, end: int, length: int) -> Stretch:
    if length <= 0:
        return 0.0, LEAST
    left, right = (WIDTH * max(0, min(at, length)) / length for at in (start, end))
    width = max(LEAST, right - left)
    return round(min(left, WIDTH - width), 2), round(width, 2)
