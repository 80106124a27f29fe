"""Where the passages lie in both texts, drawn as bands between two bars."""

from dataclasses import dataclass
from typing import Final

from store.records import Change, Passage

WIDTH: Final = 1_000.0  # of the drawing, in its own units
LEAST: Final = 2.0  # so that a sentence in a novel can be seen and hit


@dataclass(frozen=True, slots=True)
class RulerBand:
    """One passage on the ruler: its left edge and width on the page's bar and on the work's."""

    number: int
    change: Change
    page: tuple[float, float]
    work: tuple[float, float]


def bands(passages: list[tuple[int, Passage]], page_length: int, work_length: int) -> list[RulerBand]:
    """The numbered passages by their place; lengths in code points, either may be 0."""
    return [
        RulerBand(
            number,
            passage.change,
            _place(passage.page_start, passage.page_end, page_length),
            _place(passage.work_start, passage.work_end, work_length),
        )
        for number, passage in passages
    ]


def _place(start: int, end: int, length: int) -> tuple[float, float]:
    if length <= 0:
        return 0.0, LEAST
    left, right = (WIDTH * max(0, min(at, length)) / length for at in (start, end))
    width = max(LEAST, right - left)
    return round(min(left, WIDTH - width), 2), round(width, 2)
