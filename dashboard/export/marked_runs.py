"""Runs of a text and how each is shown, where two texts are told apart."""

from enum import StrEnum
from typing import NamedTuple


class Mark(StrEnum):
    """How a run of text is shown; each has its words in the legend, ``mark.*`` of the catalogue."""

    SAME = "same"
    SOUND = "sound"  # another character of the same sound, or another form of it: dotted underline
    REPLACED = "replaced"  # bold, underlined
    ADDED = "added"  # the page has it alone: bold, underlined twice
    LEFT_OUT = "left_out"  # the work has it alone: struck through


class MarkedRun(NamedTuple):
    """A run of one look."""

    mark: Mark
    text: str


class MarkedSides(NamedTuple):
    """The runs of one passage on either side; None where the store has lost the text."""

    page: tuple[MarkedRun, ...] | None
    work: tuple[MarkedRun, ...] | None
