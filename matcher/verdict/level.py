"""The level of a verdict: how much the copied text was changed, or that it is a quotation, or too short to say."""

from collections.abc import Sequence

from matcher.alignment.align import Aligned
from store.records import Change, Level

_SHORT = 60  # code points of a text that is too short to say


def level_of(passages: Sequence[Aligned], *, copied: bool, shorter: int) -> Level:
    """Of a copy, the kind of change that most of its letters underwent. shorter: code points of the shorter text."""
    if not copied:
        return Level.TOO_SHORT if shorter < _SHORT else Level.QUOTATION
    by_change = dict.fromkeys(Change, 0)
    for one in passages:
        by_change[one.passage.change] += one.agreeing
    return Level(max(by_change, key=lambda change: by_change[change]).value)
