"""The texts of pages in figures: over time, and by length, language, script and charset."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Final, NamedTuple

from dashboard.figures import charts
from dashboard.frame.display import grouped
from dashboard.frame.language import t
from services.analysis import Question
from store.records import ChartPeriod, TextFigures
from store.rules.cases.chart_periods import following, start_of
from store.rules.web.text_groups import LENGTHS, OTHER

KINDS: Final = ("new", "changed")
_TOLD: Final = frozenset(("simplified", "traditional", "mixed", "zh", "en", "ja", "ko", OTHER))
_ENDS: Final = {low: above - 1 for low, above in pairwise(LENGTHS)}


class Group(NamedTuple):
    """Texts by one of their properties. kind: what of the words of the screen names it."""

    kind: str
    rows: Sequence[tuple[str, int]]


def over_time(question: Question, texts: TextFigures) -> charts.Columns:
    """New and changed texts by the periods of the question."""
    sums: dict[date, Counter[str]] = {}
    for one in texts.days:
        sums.setdefault(start_of(one.day, question.pace), Counter()).update(new=one.new, changed=one.changed)
    form = "%Y-%m" if question.pace is ChartPeriod.MONTH else "%m-%d"
    start, rows = start_of(question.first, question.pace), []
    while start <= question.last:
        rows.append((start.strftime(form), sums.get(start, Counter())))
        start = following(start, question.pace)
    return charts.stacked(rows, KINDS)


def groups(texts: TextFigures) -> list[Group]:
    """By each property, in the reader's words."""
    lengths = [(length_words(low), count) for low, count in texts.lengths.items()]
    return [
        Group("length", lengths),
        Group("language", _named(texts.languages)),
        Group("script", _named(texts.scripts)),
        Group("charset", _named(texts.charsets)),
    ]


def length_words(low: int) -> str:
    """A group of lengths, by its least."""
    return f"{grouped(low)}–{grouped(_ENDS[low])}" if low in _ENDS else f"≥ {grouped(low)}"


def _named(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return [
        (t(f"written.{name or 'unknown'}") if name in {*_TOLD, ""} else name, count) for name, count in counts.items()
    ]
