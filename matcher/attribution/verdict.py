"""Decide what the passages of two texts amount to: quotation or copy, level, probability, reasons, copied characters.

The level states how much the copied text was changed, that it is a quotation, or that it is too short.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from matcher.alignment.aligned_span import (
    CountedText,
    Side,
    copied_length,
    copied_share,
    copied_spans,
    count_text,
    share_of_text,
)
from matcher.alignment.local_alignment import AlignedPassage
from matcher.attribution.calibration import MEASURED_CALIBRATION, Calibration
from matcher.model import DEFAULT_SHORTEST_PASSAGE, MIN_WORK_INITIALS, Change, Level, Match, Passage

# Initials on either side below which a passage is a quotation, and opens no case. Users may set another number ...
MAX_QUOTATION_INITIALS = DEFAULT_SHORTEST_PASSAGE
_MIN_THICK_CHARACTERS = 55  # ... unless it has so many code points, as formulas and code have few initials
# Letters below which a passage beside a longer one is a quotation, where all are in Latin letters: names, addresses and
# phrases. They are eighteen words or so, as many as forty Han characters have.
_MAX_LATIN_QUOTATION = 104
_MAX_PIECE_DISTANCE = 100  # code points on the page to another passage, of which a short one may be a piece
_MIN_SIMILARITY = 0.5  # similarity below which a passage is a set phrase in accidental surroundings ...
_MIN_PLAIN_WEIGHT = 40.0  # ... unless it weighs so much
MIN_PIECES_WEIGHT = 80.0  # weight of all passages from which quotations are a copy together
_MIN_WHOLE_SHARE = 0.9  # copied share of a work that is shorter than a quotation


def protected_passages(
    passages: Sequence[AlignedPassage], work_letters: int, shortest: int = MAX_QUOTATION_INITIALS
) -> Sequence[AlignedPassage]:
    """Return the passages larger than a quotation.

    Without any, return all passages if they weigh enough together, or are a whole work. work_letters: initials of the
    whole work. shortest: initials of the shortest passage that is no quotation.
    """
    large = _drop_latin_quotations([passage for passage in passages if is_copy(passage, shortest)], shortest)
    least = MIN_PIECES_WEIGHT * max(1.0, shortest / MAX_QUOTATION_INITIALS)
    together = sum(passage.weight for passage in passages) >= least or _is_whole_work(passages, work_letters, shortest)
    return passages if not large and together else large


def _drop_latin_quotations(passages: Sequence[AlignedPassage], shortest: int) -> Sequence[AlignedPassage]:
    """Return the passages without those in Latin letters that are short, and far from the others on the page."""
    if shortest < MAX_QUOTATION_INITIALS or any(passage.han for passage in passages):
        return passages
    if not any(passage.letters >= _MAX_LATIN_QUOTATION for passage in passages):
        return passages
    return [
        passage
        for passage in passages
        if passage.letters >= _MAX_LATIN_QUOTATION
        or any(_page_distance(passage, other) <= _MAX_PIECE_DISTANCE for other in passages if other is not passage)
    ]


def _page_distance(first: AlignedPassage, second: AlignedPassage) -> int:
    a, b = first.passage, second.passage
    return max(a.page_start - b.page_end, b.page_start - a.page_end)


def _is_whole_work(passages: Sequence[AlignedPassage], work_letters: int, shortest: int) -> bool:
    return (
        work_letters >= min(MIN_WORK_INITIALS, shortest)
        and sum(passage.agreeing for passage in passages) >= _MIN_WHOLE_SHARE * work_letters
    )


def is_copy(aligned: AlignedPassage, shortest: int = MAX_QUOTATION_INITIALS) -> bool:
    """Whether a passage is more than a quotation, and, if small, more than a set phrase by chance."""
    agrees = aligned.weight >= _MIN_PLAIN_WEIGHT or aligned.passage.similarity >= _MIN_SIMILARITY
    long = aligned.letters >= max(shortest, MAX_QUOTATION_INITIALS)
    thick = _shorter_length(aligned) >= max(shortest, _MIN_THICK_CHARACTERS)
    return agrees and (long or thick or _is_short(aligned, shortest))


def _is_short(aligned: AlignedPassage, shortest: int) -> bool:
    """Whether a passage is shorter than is usual, has enough initials for the user, and so many in same characters."""
    return shortest < MAX_QUOTATION_INITIALS and min(aligned.letters, aligned.same_letters) >= shortest


def _shorter_length(aligned: AlignedPassage) -> int:
    passage = aligned.passage
    return min(passage.page_end - passage.page_start, passage.work_end - passage.work_start)


_SHORT_TEXT_CHARACTERS = 60  # characters below which a text has the level TOO_SHORT


def level_of(passages: Sequence[AlignedPassage], *, copied: bool, shorter: int) -> Level:
    """Return the level: of a copy, the change of most of its initials. shorter: characters of the shorter text."""
    if not copied:
        return Level.TOO_SHORT if shorter < _SHORT_TEXT_CHARACTERS else Level.QUOTATION
    by_change = dict.fromkeys(Change, 0)
    for passage in passages:
        by_change[passage.passage.change] += passage.agreeing
    return Level(max(by_change, key=lambda change: by_change[change]).value)


_SAMENESS_KINDS = ("same_characters", "variants", "same_sound")  # the parts of the similarity


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a comparison. Shares are in [0, 1].

    longest_run is in characters. score is the probability of the weight of all passages (agreeing initials, see
    `matcher.alignment.local_alignment.AlignedPassage`). reasons: message keys with their figures, such as
    ``share_of_page:0.8312``.
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
    same_characters: float  # these three are the parts of the similarity, as in `Passage`
    variants: float
    same_sound: float


def decide_verdict(
    passages: Sequence[AlignedPassage],
    *,
    page: CountedText,
    work: CountedText,
    work_letters: int,
    calibration: Calibration = MEASURED_CALIBRATION,
    shortest: int = MAX_QUOTATION_INITIALS,
) -> tuple[Sequence[AlignedPassage], Verdict]:
    """Return the passages that count, at least one, and the verdict on them.

    page, work: the whole texts. work_letters: initials of the whole work. shortest: as for `protected_passages`. Beside
    a passage larger than a quotation, smaller ones are dropped. Many smaller ones count together.
    """
    copied = protected_passages(passages, work_letters, shortest)
    counted = copied or passages
    share_of_page = copied_share((aligned.passage for aligned in counted), Side.PAGE, page)
    share_of_work = copied_share((aligned.passage for aligned in counted), Side.WORK, work)
    longest_run = max(aligned.longest_run for aligned in counted)
    agreeing = sum(aligned.agreeing for aligned in counted)
    similarity = sum(aligned.passage.similarity * aligned.agreeing for aligned in counted) / agreeing
    sameness = _sum_sameness(counted, agreeing)
    weight = sum(aligned.weight for aligned in counted)
    figures = {
        "share_of_page": share_of_page,
        "share_of_work": share_of_work,
        "longest_run": longest_run,
        "similarity": similarity,
    }
    verdict = Verdict(
        level=level_of(counted, copied=bool(copied), shorter=min(page.characters, work.characters)),
        reasons=tuple(_list_reasons(figures, sameness, counted, agreeing)),
        score=calibration.probability(weight),
        weight=weight,
        accuse=bool(copied),
        share_of_page=share_of_page,
        share_of_work=share_of_work,
        longest_run=longest_run,
        similarity=similarity,
        **sameness,
    )
    return counted, verdict


def _list_reasons(
    figures: Mapping[str, float], sameness: Mapping[str, float], counted: Sequence[AlignedPassage], agreeing: int
) -> Iterator[str]:
    """Yield the reasons from the figures of the verdict. agreeing: initials of all that counts."""
    for name, figure in figures.items():
        yield f"{name}:{figure}"
    for kind, figure in sameness.items():
        if figure:
            yield f"{kind}:{figure}"
    yield f"passages:{len(counted)}"
    if out_of_order := sum(aligned.agreeing for aligned in counted if aligned.out_of_order):
        yield f"out_of_order:{out_of_order / agreeing}"


def _sum_sameness(passages: Sequence[AlignedPassage], agreeing: int) -> dict[str, float]:
    """Return the parts of the similarity by their names in `Passage`."""
    counts = {
        kind: sum((getattr(passage.passage, kind) or 0.0) * passage.agreeing for passage in passages)
        for kind in _SAMENESS_KINDS
    }
    return {kind: count / agreeing for kind, count in counts.items()}


def count_match(match: Match, page_text: str, work_text: str) -> Match:
    """Return the match with the characters of both texts that it copied, their shares, and the longest run, white space
    aside.

    A suspicion copied nothing.
    """
    if not match.passages:
        return replace(match, copied_of_page=0, copied_of_work=0)
    page, work = count_text(page_text), count_text(work_text)
    copied_of_page = copied_length(match.passages, Side.PAGE, page)
    copied_of_work = copied_length(match.passages, Side.WORK, work)
    of_page, of_work = share_of_text(copied_of_page, page), share_of_text(copied_of_work, work)
    run = match.longest_run
    if any(reason.startswith("excluded:") for reason in match.reasons):  # it may have been in what was left out
        run = min(run, _longest_span(match.passages, page))
    return replace(
        match,
        share_of_page=of_page,
        share_of_work=of_work,
        longest_run=run,
        copied_of_page=copied_of_page,
        copied_of_work=copied_of_work,
        passages=tuple(
            replace(passage, page_characters=of_page_alone, work_characters=of_work_alone)
            for passage, of_page_alone, of_work_alone in zip(
                match.passages,
                _count_each(match.passages, Side.PAGE, page, copied_of_page),
                _count_each(match.passages, Side.WORK, work, copied_of_work),
                strict=True,
            )
        ),
        reasons=tuple(
            _with_figures(match.reasons, {"share_of_page": of_page, "share_of_work": of_work, "longest_run": run})
        ),
    )


def _count_each(passages: Sequence[Passage], side: Side, text: CountedText, together: int) -> list[int]:
    """Count the copied characters of each passage by itself. together: those of all."""
    if len(passages) == 1:
        return [together]
    return [copied_length([passage], side, text) for passage in passages]


def _longest_span(passages: Iterable[Passage], page: CountedText) -> int:
    spans = (span for passage in passages for span in copied_spans(passage, Side.PAGE))
    return max((page.between(start, end) for start, end in spans), default=0)


def _with_figures(reasons: Iterable[str], figures: Mapping[str, float]) -> Iterator[str]:
    for reason in reasons:
        key = reason.partition(":")[0]
        yield f"{key}:{figures[key]}" if key in figures else reason
