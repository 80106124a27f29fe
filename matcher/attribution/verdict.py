"""Decide what the passages of two texts amount to: quotation or copy, level, probability, reasons."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matcher.alignment.aligned_span import Side, copied_share
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from matcher.attribution.originality import MIN_WORK_INITIALS
from matcher.model import Change, Level

MAX_QUOTATION_INITIALS = 40  # letters on either side; what is shorter is quoted, not copied, and opens no case, ...
_MIN_THICK_CHARACTERS = 55  # ... unless it has so many code points: formulas and code have few letters
_MIN_SIMILARITY = 0.5  # similarity under which a passage is a set phrase and what happens to stand around it, ...
_MIN_PLAIN_WEIGHT = 40.0  # ... unless it weighs so much
MIN_PIECES_WEIGHT = 80.0  # weight of all passages from which they copy together, each a quotation by itself
_MIN_WHOLE_SHARE = 0.9  # share of a work that has to be copied where the work is shorter than a quotation


def protected_passages(passages: Sequence[AlignedPassage], work_letters: int) -> Sequence[AlignedPassage]:
    """Those that are more than a quotation; where none is, all of them if they are together, or are a whole work.

    work_letters: of the whole work.
    """
    large = [passage for passage in passages if is_copy(passage)]
    together = sum(passage.weight for passage in passages) >= MIN_PIECES_WEIGHT or _is_whole_work(
        passages, work_letters
    )
    return passages if not large and together else large


def _is_whole_work(passages: Sequence[AlignedPassage], work_letters: int) -> bool:
    return (
        work_letters >= MIN_WORK_INITIALS
        and sum(passage.agreeing for passage in passages) >= _MIN_WHOLE_SHARE * work_letters
    )


def is_copy(one: AlignedPassage) -> bool:
    """More than a quotation; and more, where it is small, than a set phrase with its accidental neighbourhood."""
    agrees = one.weight >= _MIN_PLAIN_WEIGHT or one.passage.similarity >= _MIN_SIMILARITY
    return agrees and (one.letters >= MAX_QUOTATION_INITIALS or _shorter_length(one) >= _MIN_THICK_CHARACTERS)


def _shorter_length(one: AlignedPassage) -> int:
    passage = one.passage
    return min(passage.page_end - passage.page_start, passage.work_end - passage.work_start)


# The level of a verdict: how much the copied text was changed, or that it is a quotation, or too short to say.


_SHORT_TEXT_CHARACTERS = 60  # code points of a text that is too short to say


def level_of(passages: Sequence[AlignedPassage], *, copied: bool, shorter: int) -> Level:
    """Of a copy, the kind of change that most of its letters underwent. shorter: code points of the shorter text."""
    if not copied:
        return Level.TOO_SHORT if shorter < _SHORT_TEXT_CHARACTERS else Level.QUOTATION
    by_change = dict.fromkeys(Change, 0)
    for passage in passages:
        by_change[passage.passage.change] += passage.agreeing
    return Level(max(by_change, key=lambda change: by_change[change]).value)


_SAMENESS_KINDS = ("same_characters", "variants", "same_sound")  # that the similarity is the sum of


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a comparison amounts to. Shares in [0, 1]; longest_run in characters; score is a
    probability, of the weight of all passages (letters that agree, see
    `matcher.alignment.local_alignment.AlignedPassage`).

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


def decide_verdict(
    passages: Sequence[AlignedPassage],
    *,
    page_length: int,
    work_length: int,
    work_letters: int,
    calibration: Calibration = MEASURED_CALIBRATION,
) -> tuple[Sequence[AlignedPassage], Verdict]:
    """The passages that count, and the verdict on them. There is at least one; lengths in code points.

    work_letters: of the whole work. Beside a passage that is more than a quotation, those that are less are left out;
    many of them are more together.
    """
    copied = protected_passages(passages, work_letters)
    counted = copied or passages
    share_of_page = copied_share((one.passage for one in counted), Side.PAGE, page_length)
    share_of_work = copied_share((one.passage for one in counted), Side.WORK, work_length)
    longest_run = max(one.longest_run for one in counted)
    agreeing = sum(one.agreeing for one in counted)
    similarity = sum(one.passage.similarity * one.agreeing for one in counted) / agreeing
    alike = _sum_sameness(counted, agreeing)
    weight = sum(one.weight for one in counted)
    figures = {
        "share_of_page": share_of_page,
        "share_of_work": share_of_work,
        "longest_run": longest_run,
        "similarity": similarity,
    }
    verdict = Verdict(
        level=level_of(counted, copied=bool(copied), shorter=min(page_length, work_length)),
        reasons=tuple(_list_reasons(figures, alike, counted, agreeing)),
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


def _list_reasons(
    figures: Mapping[str, float], alike: Mapping[str, float], counted: Sequence[AlignedPassage], agreeing: int
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


def _sum_sameness(passages: Sequence[AlignedPassage], agreeing: int) -> dict[str, float]:
    """The parts of the similarity, by their names in `Passage`."""
    counts = {
        kind: sum((getattr(passage.passage, kind) or 0.0) * passage.agreeing for passage in passages)
        for kind in _SAMENESS_KINDS
    }
    return {kind: count / agreeing for kind, count in counts.items()}
