"""What the passages that two texts share amount to, with reasons, and whether they open a case."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matcher.alignment.align import Aligned
from matcher.verdict.copied_shares import Side, share
from matcher.verdict.level import level_of
from matcher.verdict.probability import MEASURED, Calibration
from matcher.verdict.quotation import protected
from store.records import Level

_KINDS = ("same_characters", "variants", "same_sound")  # that the similarity is the sum of


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a comparison amounts to. Shares in [0, 1]; longest_run in characters; score is a
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
    figures = {
        "share_of_page": share_of_page,
        "share_of_work": share_of_work,
        "longest_run": longest_run,
        "similarity": similarity,
    }
    verdict = Verdict(
        level=level_of(counted, copied=bool(copied), shorter=min(page_length, work_length)),
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
