"""Remove excluded text from a match and weigh the rest.

Excluded text is known by its initials. It is removed wherever it stands, on the page or in the work. A passage with
excluded text is cut there, and its evidence shrinks with the characters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Protocol

from fingerprinter.alphabet import Initials
from matcher.alignment.aligned_span import Side, copied_length, copied_spans
from matcher.alignment.edits import Edit, EditKind, list_edits
from matcher.attribution.calibration import Calibration
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS, MIN_PIECES_WEIGHT, count_match
from matcher.model import Match, Passage

MIN_EXCLUDED_INITIALS: Final = 8  # initials of an excluded text, and characters of the rest of a passage
_AGREEING_KINDS: Final = (EditKind.SAME, EditKind.SAME_SOUND, EditKind.VARIANT)
_SAMENESS_FIELDS: Final = ("same_characters", "variants", "same_sound")
_UNKNOWN_REASONS: Final = ("attributed", "quoted")  # reasons that are unknown for the rest

Spans = Sequence[tuple[int, int]]  # code points of a text, ends exclusive


class TextWithInitials(Protocol):
    """A text with its initials."""

    @property
    def text(self) -> str: ...
    @property
    def letters(self) -> Initials: ...


class ReadText(NamedTuple):
    """A text whose initials are computed."""

    text: str
    letters: Initials


@dataclass(frozen=True, slots=True)
class ExcludedSpans:
    """Spans of excluded text in both texts."""

    page: Spans
    work: Spans


def find_excluded(block: bytes, initials: Initials) -> list[tuple[int, int]]:
    """List all spans, in code points, where a text with these initials (one byte each) stands."""
    codes = initials.codes.tobytes()
    spans, offset = [], codes.find(block) if block else -1
    while offset >= 0:
        spans += _code_point_spans(initials, offset, offset + len(block))
        offset = codes.find(block, offset + len(block))
    return spans


def exclude_text(
    match: Match, blocks: Iterable[bytes], page: TextWithInitials, work: TextWithInitials, calibration: Calibration
) -> Match:
    """Return the match without the text that has these initials, or the same match where it has none of it."""
    excluded = list(blocks)
    cuts = ExcludedSpans(
        [span for block in excluded for span in find_excluded(block, page.letters)],
        [span for block in excluded for span in find_excluded(block, work.letters)],
    )
    rest = [part for passage in match.passages for part in _cut_passage(passage, cuts, page.text, work.text)]
    if rest == list(match.passages):
        return match
    return count_match(_weigh_match(match, rest, calibration), page.text, work.text)


def exclude_all(match: Match, calibration: Calibration) -> Match:
    """Return the match without passages: its work is no source."""
    return count_match(_weigh_match(match, [], calibration), "", "")


def is_still_copy(match: Match, shortest: int = MAX_QUOTATION_INITIALS) -> bool:
    """Whether the rest of a match is more than a quotation (`matcher.attribution.verdict`)."""
    large = any(copied_length([passage], side) >= shortest for passage in match.passages for side in Side)
    return large or match.weight >= MIN_PIECES_WEIGHT


def _code_point_spans(initials: Initials, begin: int, end: int) -> list[tuple[int, int]]:
    """Return the code points of initials, as one span where their order is that of the text."""
    if initials.in_order:
        return [initials.span(begin, end)]
    return [initials.span(number, number + 1) for number in range(begin, end)]


def _cut_passage(passage: Passage, cuts: ExcludedSpans, page_text: str, work_text: str) -> list[Passage]:
    sides = ((Side.PAGE, cuts.page), (Side.WORK, cuts.work))
    outside = [_spans_outside(list(copied_spans(passage, side)), spans) for side, spans in sides]
    if outside == [list(copied_spans(passage, side)) for side, _ in sides]:
        return [passage]
    if not all(outside):
        return []
    pieces = _split_runs(list_edits(page_text, work_text, passage), cuts)
    parts = [_make_part(passage, piece) for piece in pieces]
    return [part for part in parts if copied_length([part], Side.PAGE) >= MIN_EXCLUDED_INITIALS]


def _spans_outside(spans: Iterable[tuple[int, int]], cuts: Spans) -> list[tuple[int, int]]:
    """Return the parts of the spans outside all cuts."""
    outside = list(spans)
    for begin, end in cuts:
        outside = [part for first, last in outside for part in ((first, min(last, begin)), (max(first, end), last))]
        outside = list(dict.fromkeys((start, last) for start, last in outside if start < last))
    return outside


def _split_runs(runs: Iterable[Edit], cuts: ExcludedSpans) -> Iterator[list[Edit]]:
    """Yield the agreeing runs from one cut to the next, in the order of the page, with the changes between them."""
    piece: list[Edit] = []
    for run in chain.from_iterable(_split_run(whole, cuts) for whole in runs):
        if _is_excluded(run, cuts):
            yield piece
            piece = []
        elif piece or run.kind in _AGREEING_KINDS:
            piece.append(run)
    yield piece


def _split_run(run: Edit, cuts: ExcludedSpans) -> Iterator[Edit]:
    """Split a run into parts inside or outside the cuts."""
    page, work = (run.page_start, run.page_end), (run.work_start, run.work_end)
    offsets = {offset for span in cuts.page for offset in span if page[0] < offset < page[1]}
    offsets |= {
        _partner_offset(offset, work, page) for span in cuts.work for offset in span if work[0] < offset < work[1]
    }
    bounds = sorted({*page, *offsets})
    if len(bounds) < 3:  # no cut between its ends
        yield run
        return
    for begin, end in pairwise(bounds):
        yield Edit(run.kind, begin, end, _partner_offset(begin, page, work), _partner_offset(end, page, work))


def _partner_offset(offset: int, span: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the offset in the other text, in proportion where the run has another length there."""
    length, other_length = span[1] - span[0], other[1] - other[0]
    return other[0] + (offset - span[0]) * other_length // length


def _is_excluded(run: Edit, cuts: ExcludedSpans) -> bool:
    """Whether the middle of a split run lies in a cut. The partner of a part may be off by 1."""
    page, work = (run.page_start + run.page_end) / 2, (run.work_start + run.work_end) / 2
    on_page = any(begin <= page < end for begin, end in cuts.page)
    in_work = run.kind is not EditKind.DELETED and any(begin <= work < end for begin, end in cuts.work)
    return on_page or in_work


def _make_part(passage: Passage, piece: list[Edit]) -> Passage:
    """Return the part of a passage that these runs form, without the change at its end."""
    while piece and piece[-1].kind not in _AGREEING_KINDS:
        piece = piece[:-1]
    page_start, page_end = _outer_bounds([(run.page_start, run.page_end) for run in piece])
    work_start, work_end = _outer_bounds([(run.work_start, run.work_end) for run in piece])
    return replace(
        passage,
        page_start=page_start,
        page_end=page_end,
        work_start=work_start,
        work_end=work_end,
        page_gaps=_gaps_inside(passage.page_gaps, page_start, page_end),
        work_gaps=_gaps_inside(passage.work_gaps, work_start, work_end),
    )


def _outer_bounds(spans: Spans) -> tuple[int, int]:
    return min((start for start, _ in spans), default=0), max((end for _, end in spans), default=0)


def _gaps_inside(gaps: Spans, start: int, end: int) -> tuple[tuple[int, int], ...]:
    clipped = ((max(start, begin), min(end, last)) for begin, last in gaps)
    return tuple((begin, last) for begin, last in clipped if begin < last)


def _weigh_match(match: Match, rest: Sequence[Passage], calibration: Calibration) -> Match:
    """Weigh what is left; its shares are counted afterwards."""
    before, after = _sum_evidence(match.passages), _sum_evidence(rest)
    retained = min(1.0, after / before) if before else 0.0
    weight = match.weight * retained
    figures: dict[str, Any] = {
        "share_of_page": 0.0,
        "share_of_work": 0.0,
        "longest_run": min(match.longest_run, _longest_run(rest)),
        "similarity": _weighted_mean(rest, "similarity"),
        **{name: _weighted_mean(rest, name) for name in _SAMENESS_FIELDS if getattr(match, name) is not None},
    }
    reasons = _update_reasons(match.reasons if rest else (), {**figures, "passages": len(rest)})
    return replace(
        match,
        weight=weight,
        score=calibration.probability(weight),
        passages=tuple(rest),
        reasons=(*reasons, f"excluded:{1 - retained}"),
        **figures,
    )


def _sum_evidence(passages: Iterable[Passage]) -> float:
    return sum(copied_length([passage], Side.PAGE) * passage.similarity for passage in passages)


def _longest_run(passages: Iterable[Passage]) -> int:
    return max((end - start for passage in passages for start, end in copied_spans(passage, Side.PAGE)), default=0)


def _weighted_mean(passages: Iterable[Passage], name: str) -> float:
    """Average a figure of the passages, weighted by their lengths."""
    lengths = {passage: copied_length([passage], Side.PAGE) for passage in passages}
    total = sum(lengths.values())
    return (
        sum((getattr(passage, name) or 0.0) * length for passage, length in lengths.items()) / total if total else 0.0
    )


def _update_reasons(reasons: Iterable[str], figures: Mapping[str, float]) -> Iterator[str]:
    for reason in reasons:
        key = reason.partition(":")[0]
        if key not in _UNKNOWN_REASONS:
            yield f"{key}:{figures[key]}" if key in figures else reason
