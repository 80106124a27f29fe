"""One copied stretch of a text, by its letters in both, and what several of them cover together."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
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


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """What the spans cover together."""
    total = reach = 0.0
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def together(a: Stretch, b: Stretch) -> Stretch:
    """Both as one, with what lies between them."""
    return Stretch(
        min(a.page_start, b.page_start),
        max(a.page_end, b.page_end),
        min(a.work_start, b.work_start),
        max(a.work_end, b.work_end),
        a.weight + b.weight,
        a.covered + b.covered,
        a.blocks + b.blocks,
    )
