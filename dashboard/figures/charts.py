"""Charts as plain geometry for templates: drawn on the server, so that they are there without script, and on paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

HEIGHT: Final = 100.0  # a chart is drawn in a box this high; the style sheet stretches it
STEPS: Final = (1, 2, 3, 4, 5, 6, 8)  # upper edges, each that waste little of the chart


@dataclass(frozen=True, slots=True)
class ChartPart:
    """One piece of a stacked column: what it counts, and its place from the top."""

    name: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """One column: its place from the left in columns, its label, and its pieces from the bottom up."""

    x: int
    label: str
    total: int
    parts: tuple[ChartPart, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """A chart of stacked columns; `top` is the round number at its upper edge."""

    columns: tuple[ChartColumn, ...]
    names: tuple[str, ...]  # every kind of piece that occurs, in the order of stacking
    top: int

    def counts(self, name: str) -> list[int]:
        """What each column counts of one kind."""
        return [sum(part.count for part in column.parts if part.name == name) for column in self.columns]


def stacked(rows: Sequence[tuple[str, Mapping[str, int]]], order: Sequence[str]) -> Columns:
    """Columns from (label, count by name) rows, pieces stacked in this order; names outside it are left out."""
    names = tuple(name for name in order if any(counts.get(name) for _, counts in rows))
    totals = [sum(counts.get(name, 0) for name in names) for _, counts in rows]
    top = round_up(max(totals, default=0))
    columns = tuple(
        ChartColumn(x, label, total, _pieces(counts, names, top))
        for x, ((label, counts), total) in enumerate(zip(rows, totals, strict=True))
    )
    return Columns(columns, names, top)


def plain(rows: Sequence[tuple[str, int]], name: str) -> Columns:
    """Columns of one kind."""
    return stacked([(label, {name: count}) for label, count in rows], [name])


def round_up(most: int) -> int:
    """The least of 1, 2, 3, 4, 5, 6, 8, 10, 20, 30 … that is not below this number.

    >>> [round_up(most) for most in (0, 1, 3, 7, 10, 11, 28, 480)]
    [1, 1, 3, 8, 10, 20, 30, 500]
    """
    scale = 1
    while True:
        for step in STEPS:
            if step * scale >= most:
                return step * scale
        scale *= 10


def _pieces(counts: Mapping[str, int], names: Sequence[str], top: int) -> tuple[ChartPart, ...]:
    parts: list[ChartPart] = []
    y = HEIGHT
    for name in names:
        if count := counts.get(name, 0):
            height = HEIGHT * count / top
            y -= height
            parts.append(ChartPart(name, count, round(y, 3), round(height, 3)))
    return tuple(parts)
