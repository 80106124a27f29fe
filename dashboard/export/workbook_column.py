"""The columns of a table of a workbook, each declared once: its heading, how its value is got, how its cells look."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Generic, TypeVar

from dashboard.export.marked_runs import MarkedRun
from dashboard.frame.language import catalogue

MarkedText = tuple[MarkedRun, ...]
Value = str | int | float | date | MarkedText | None  # a day, or a moment, which is one too
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column. heading: key in the catalogue; get: the value of its cell in a row; width: in characters; look: of
    its cells, by name.
    """

    heading: str
    get: Callable[[Row], Value]
    width: float
    look: str = "text"


def both(key: str) -> str:
    """Words in both languages."""
    return catalogue().both(key)


def named(group: str, value: str) -> str:
    """As `both`, for a value out of a group."""
    return both(f"{group}.{value}")
