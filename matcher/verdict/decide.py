"""What the passages that two texts share amount to, with reasons, and whether they open a case."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from matcher.alignment.align import Aligned
from matcher.verdict.calibrate import MEASURED, Calibration
from matcher.verdict.copied_shares import Side, share
from matcher.verdict.quotation import protected
from matcher.verdict.which_work_explains import explains
from store.records import Change, Level

_KINDS = ("same_characters", "variants", "same_sound")  # that the similarity is the sum of
_SHORT = 60  # code points of a text that is too short to say

# One passage beside others of the same page:
_SMALL = 100.0  # weight; a larger passage stands for itself, and one in Han characters does: terms and code recur more
_OVERLAP = 0.7  # share of the page's span that another work must cover ...
_BETTER = 1.5  # ... with so many times the weight to explain it better,
_DWARFS = 20.0  # ... or so many times, whatever the passage is: works of one owner share sentences and paragraphs,
_COMMON = 8  # ... or so many works with about the same weight, to make it common property


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a comparison amounts to. Shares in [0, 1]; longest_run in code points of the page; score is a
    probability, of the weight of all passages (letters that agree, see `matcher.alignment.align.Aligned`).

    reasons: message keys with their figures, such as ``share_of_page:0.8312``.
    """

    level: Level
    reasons: tuple[str, ...]
    score: float
    weight: float
    accuse: bool
    share_of_page: float
    share_of_work: float
    longest_run: int
    similarity: float
    same_characters: float  # these three are its parts, as in `Passage`
    variants: float
    same_sound: float


def decide(
    passages: Sequence[Aligned],
    *,
    page_length: int,
    work_length: int,
    work_letters: int,
    calibration: Calibration = MEASURED,
) -> tuple[Sequence[Aligned], Verdict]:
    """The passages that count, and the verdict on them. There is at least one; lengths in code points.

    work_letters: of the whole work. Beside a passage that is more than a quotation, those that are less are left out;
    many of them are more together.
    """
    copied = protected(passages, work_letters)
    counted = copied or passages
    share_of_page = share((one.passage for one in counted), Side.PAGE, page_length)
    share_of_work = share((one.passage for one in counted), Side.WORK, work_length)
    longest_run = max(one.longest_run for one in counted)
    agreeing = sum(one.agreeing for one in counted)
    similarity = sum(one.passage.similarity * one.agreeing for one in counted) / agreeing
    alike = _sameness(counted, agreeing)
    weight = sum(one.weight for one in counted)
    less = Level.TOO_SHORT if min(page_length, work_length) < _SHORT else Level.QUOTATION
    figures = {
        "share_of_page": share_of_page,
        "share_of_work": share_of_work,
        "longest_run": longest_run,
        "similarity": similarity,
    }
    verdict = Verdict(
        level=_level(counted) if copied else less,
        reasons=tuple(_reasons(figures, alike, counted, agreeing)),
        score=calibration.probability(weight),
        weight=weight,
        accuse=bool(copied),
        share_of_page=share_of_page,
        share_of_work=share_of_work,
        longest_run=longest_run,
        similarity=similarity,
        **alike,
    )
    return counted, verdict


def _reasons(
    figures: Mapping[str, float], alike: Mapping[str, float], counted: Sequence[Aligned], agreeing: int
) -> Iterator[str]:
    """Why, from the figures of the verdict. agreeing: letters of all that counts."""
    for name, figure in figures.items():
        yield f"{name}:{figure}"
    for kind, figure in alike.items():
        if figure:
            yield f"{kind}:{figure}"
    yield f"passages:{len(counted)}"
    if out_of_order := sum(one.agreeing for one in counted if one.out_of_order):
        yield f"out_of_order:{out_of_order / agreeing}"


def _sameness(passages: Sequence[Aligned], agreeing: int) -> dict[str, float]:
    """The parts of the similarity, by their names in `Passage`."""
    counts = {kind: sum((getattr(one.passage, kind) or 0.0) * one.agreeing for one in passages) for kind in _KINDS}
    return {kind: count / agreeing for kind, count in counts.items()}


def settled(sources: Sequence[Sequence[Aligned]], work_letters: Sequence[int]) -> list[bool]:
    """For each work's passages in one page, whether any stands that opens a case, in view of the other works.

    work_letters: of each whole work.
    """
    spans = _Spans(sources)
    return [
        bool(protected([one for one in passages if _stands(one, spans.over(one, number))], letters))
        for number, (passages, letters) in enumerate(zip(sources, work_letters, strict=True))
    ]


class _Spans:
    """What the passages of several works cover on one page."""

    def __init__(self, sources: Sequence[Sequence[Aligned]]) -> None:
        self._all = [one for passages in sources for one in passages]
        self._starts = np.array([one.passage.page_start for one in self._all], np.int64)
        self._ends = np.array([one.passage.page_end for one in self._all], np.int64)
        self._owners = np.repeat(np.arange(len(sources)), list(map(len, sources)))

    def over(self, one: Aligned, number: int) -> list[Aligned]:
        """The passages of other works than this one that cover enough of one to explain it."""
        start, end = one.passage.page_start, one.passage.page_end
        covered = np.minimum(self._ends, end) - np.maximum(self._starts, start)
        enough = (covered >= _OVERLAP * (end - start)) & (self._owners != number)
        return [self._all[at] for at in np.flatnonzero(enough)]


def _stands(one: Aligned, rivals: Sequence[Aligned]) -> bool:
    """Whether a passage is neither better explained by those of other works that cover it nor common property."""
    better = _BETTER if not one.han and one.weight < _SMALL else _DWARFS
    explained = any(other.backing >= better * one.weight and explains(other, one) for other in rivals)
    alike = sum(1 for other in rivals if other.weight >= one.weight / _BETTER)
    return not explained and alike < _COMMON


def _level(passages: Sequence[Aligned]) -> Level:
    """The kind of change that most of the copied letters underwent."""
    by_change = dict.fromkeys(Change, 0)
    for one in passages:
        by_change[one.passage.change] += one.agreeing
    return Level(max(by_change, key=lambda change: by_change[change]).value)
