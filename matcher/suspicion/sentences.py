"""The sentences of a page and of a work that tell the same, drawn together."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from matcher.suspicion.characters import Characters
from matcher.suspicion.evidence import Evidence, Portion

_ENDS = frozenset("。！？!?；;\n")


class Drawn(NamedTuple):
    """A sentence of the page, the sentence of the work that shares most words with it, and these words as the page has
    them. Places in code points of the originals.
    """

    page: Portion
    work: Portion
    words: tuple[str, ...]


def drawn_together(page: Characters, work: Characters, found: Evidence) -> list[Drawn]:
    """The sentences in the order of the page; one that shares nothing stands in no pair."""
    mine, theirs = _sentences(page.text, found.page), _sentences(work.text, found.work)
    shared: dict[int, Counter[int]] = {}
    words: dict[tuple[int, int], list[str]] = {}
    for run in found.runs:
        here, there = _holding(mine, run.page), _holding(theirs, run.work)
        shared.setdefault(here, Counter())[there] += run.length
        words.setdefault((here, there), []).append(page.text[run.page : run.page + run.length])
    best = {here: counts.most_common(1)[0][0] for here, counts in sorted(shared.items())}
    return [
        Drawn(_original(page, mine[here]), _original(work, theirs[there]), tuple(words[here, there]))
        for here, there in best.items()
    ]


def in_order(pairs: Sequence[Drawn]) -> float:
    """The share of neighbouring sentences of the page whose sentences in the work stand in the same order."""
    steps = [one.work.begin <= other.work.begin for one, other in pairwise(pairs)]
    return sum(steps) / len(steps) if steps else 1.0


def told_again(pairs: Sequence[Drawn], work: Characters, found: Evidence) -> float:
    """The share of the sentences of the work's stretch that the page has told again."""
    return min(1.0, len({one.work for one in pairs}) / max(1, len(_sentences(work.text, found.work))))


def covered(pairs: Sequence[Drawn]) -> tuple[Portion, Portion]:
    """What the pairs cover on either side, from the first to the last."""
    sides = [[one.page for one in pairs], [one.work for one in pairs]]
    mine, theirs = (Portion(min(one.begin for one in side), max(one.end for one in side)) for side in sides)
    return mine, theirs


def _sentences(text: str, place: Portion) -> list[Portion]:
    """The sentences that lie in a stretch, cut off at its ends."""
    return list(_cut(text, place))


def _cut(text: str, place: Portion) -> Iterator[Portion]:
    begin = place.begin
    for at in range(place.begin, place.end):
        if text[at] in _ENDS or at == place.end - 1:
            if text[begin : at + 1].strip():
                yield Portion(begin, at + 1)
            begin = at + 1


def _holding(sentences: list[Portion], at: int) -> int:
    return next(number for number, one in enumerate(sentences) if at < one.end)


def _original(text: Characters, place: Portion) -> Portion:
    return Portion(int(text.starts[place.begin]), int(text.starts[place.end]))
