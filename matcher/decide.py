"""What the passages that two texts share amount to, with reasons, and whether they open a case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matcher.align import Aligned
from store.records import Change, Level

ACCUSE = 26.0  # weight of the strongest passage from which a case is opened: letters that agree, see `Aligned`
_QUOTATION = 40  # a passage of fewer letters than this, ...
_SMALL_SHARE = 0.1  # ... in a page of which it is so little, may be a quotation
_SHORT = 60  # a text of fewer characters says too little


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a comparison amounts to. Shares in [0, 1]; longest_run in code points of the page; score is a probability.

    reasons: message keys with their figures, such as ``share_of_page:0.83``.
    """

    level: Level
    reasons: tuple[str, ...]
    score: float
    accuse: bool
    share_of_page: float
    share_of_work: float
    longest_run: int
    similarity: float


def decide(passages: Sequence[Aligned], *, page_length: int, work_length: int) -> Verdict:
    """Weigh the passages of one page and one work; there is at least one. Lengths in code points."""
    share_of_page = _union((one.passage.page_start, one.passage.page_end) for one in passages) / page_length
    share_of_work = _union((one.passage.work_start, one.passage.work_end) for one in passages) / work_length
    longest_run = max(one.longest_run for one in passages)
    agreeing = sum(one.agreeing for one in passages)
    similarity = sum(one.passage.similarity * one.agreeing for one in passages) / max(1, agreeing)
    strongest = max(one.weight for one in passages)
    total = sum(one.weight for one in passages)
    level = _level(passages, min(page_length, work_length), share_of_page)
    reasons = (
        f"share_of_page:{share_of_page:.2f}",
        f"share_of_work:{share_of_work:.2f}",
        f"longest_run:{longest_run}",
        f"similarity:{similarity:.2f}",
        f"passages:{len(passages)}",
        f"same_characters:{sum(one.exact for one in passages) / max(1, agreeing):.2f}",
    )
    return Verdict(
        level=level,
        reasons=reasons,
        # One half where a case is opened, and always more for more.
        score=total / (total + ACCUSE),
        accuse=strongest >= ACCUSE and level is not Level.TOO_SHORT,
        share_of_page=share_of_page,
        share_of_work=share_of_work,
        longest_run=longest_run,
        similarity=similarity,
    )


def _level(passages: Sequence[Aligned], shorter: int, share_of_page: float) -> Level:
    if shorter < _SHORT and sum(one.agreeing for one in passages) < _QUOTATION:
        return Level.TOO_SHORT
    if max(one.agreeing for one in passages) < _QUOTATION and share_of_page < _SMALL_SHARE:
        return Level.QUOTATION
    by_change = dict.fromkeys(Change, 0)
    for one in passages:
        by_change[one.passage.change] += one.agreeing
    return Level(max(by_change, key=lambda change: by_change[change]).value)


def _union(spans: Iterable[tuple[int, int]]) -> int:
    """Code points that the spans cover together."""
    covered = reach = 0
    for start, end in sorted(spans):
        covered += max(0, end - max(start, reach))
        reach = max(reach, end)
    return covered
