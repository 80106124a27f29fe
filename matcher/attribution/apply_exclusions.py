"""Remove excluded text from a match and weigh the rest.

Excluded text is known by its letters and left out wherever it stands, on the page or in the work. A passage in which
it stands is cut there; its evidence goes with the characters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Protocol

from fingerprinter.alphabet import Initials
from matcher.alignment.aligned_span import Side, copied_length, copied_share, copied_spans
from matcher.alignment.edits import Edit, EditKind, list_edits
from matcher.attribution.calibration import Calibration
from matcher.attribution.verdict import MAX_QUOTATION_INITIALS, MIN_PIECES_WEIGHT
from matcher.model import Match, Passage

MIN_EXCLUDED_LETTERS: Final = 8  # letters of a text that is excluded, and characters of what is left of a passage
_AGREEING_KINDS: Final = (EditKind.SAME, EditKind.SAME_SOUND, EditKind.VARIANT)
_SAMENESS_FIELDS: Final = ("same_characters", "variants", "same_sound")
_UNKNOWN_REASONS: Final = ("attributed", "quoted")  # reasons that are not known of what is left

Spans = Sequence[tuple[int, int]]  # code points of a text, ends exclusive


class TextWithInitials(Protocol):
    """A text with its letters."""

    @property
    def text(self) -> str: ...
    @property
    def letters(self) -> Initials: ...


class ReadText(NamedTuple):
    """One that has been read already."""

    text: str
    letters: Initials


@dataclass(frozen=True, slots=True)
class ExcludedSpans:
    """Where excluded text stands in both texts."""

    page: Spans
    work: Spans


def find_excluded(block: bytes, letters: Initials) -> list[tuple[int, int]]:
    """Where a text with these letters (a byte each) stands, each time, in code points."""
    codes = letters.codes.tobytes()
    found, at = [], codes.find(block) if block else -1
    while at >= 0:
        found += _code_point_spans(letters, at, at + len(block))
        at = codes.find(block, at + len(block))
    return found


def exclude_text(
    match: Match, blocks: Iterable[bytes], page: TextWithInitials, work: TextWithInitials, calibration: Calibration
) -> Match:
    """The match without the text that has these letters; the same one where it has none of it."""
    wanted = list(blocks)
    cuts = ExcludedSpans(
        [span for block in wanted for span in find_excluded(block, page.letters)],
        [span for block in wanted for span in find_excluded(block, work.letters)],
    )
    left = [part for passage in match.passages for part in _cut_passage(passage, cuts, page.text, work.text)]
    if left == list(match.passages):
        return match
    return _weigh_match(match, left, len(page.text), len(work.text), calibration)


def exclude_all(match: Match, calibration: Calibration) -> Match:
    """The match without any of its passages: its work is no source."""
    return _weigh_match(match, [], 0, 0, calibration)


def is_still_copy(match: Match) -> bool:
    """Whether what is left of a match is more than a quotation (`matcher.attribution.verdict`)."""
    large = any(copied_length([passage], side) >= MAX_QUOTATION_INITIALS for passage in match.passages for side in Side)
    return large or match.weight >= MIN_PIECES_WEIGHT


def _code_point_spans(letters: Initials, begin: int, end: int) -> list[tuple[int, int]]:
    """The code points of letters: in one piece where they stand as they are read."""
    if letters.in_order:
        return [letters.span(begin, end)]
    return [letters.span(at, at + 1) for at in range(begin, end)]


def _cut_passage(passage: Passage, cuts: ExcludedSpans, page_text: str, work_text: str) -> list[Passage]:
    sides = ((Side.PAGE, cuts.page), (Side.WORK, cuts.work))
    outside = [_spans_outside(list(copied_spans(passage, side)), spans) for side, spans in sides]
    if outside == [list(copied_spans(passage, side)) for side, _ in sides]:
        return [passage]
    if not all(outside):
        return []
    pieces = _split_runs(list_edits(page_text, work_text, passage), cuts)
    parts = [_make_part(passage, piece) for piece in pieces]
    return [part for part in parts if copied_length([part], Side.PAGE) >= MIN_EXCLUDED_LETTERS]


def _spans_outside(spans: Iterable[tuple[int, int]], cuts: Spans) -> list[tuple[int, int]]:
    """What of the spans lies in none of the cuts."""
    left = list(spans)
    for begin, end in cuts:
        left = [part for one in left for part in ((one[0], min(one[1], begin)), (max(one[0], end), one[1]))]
        left = list(dict.fromkeys((start, last) for start, last in left if start < last))
    return left


def _split_runs(runs: Iterable[Edit], cuts: ExcludedSpans) -> Iterator[list[Edit]]:
    """The agreeing runs from one cut to the next, in the order of the page, with what was changed between them."""
    piece: list[Edit] = []
    for run in chain.from_iterable(_split_run(whole, cuts) for whole in runs):
        if _is_excluded(run, cuts):
            yield piece
            piece = []
        elif piece or run.kind in _AGREEING_KINDS:
            piece.append(run)
    yield piece


def _split_run(run: Edit, cuts: ExcludedSpans) -> Iterator[Edit]:
    """A run in parts that lie in a cut or in none."""
    page, work = (run.page_start, run.page_end), (run.work_start, run.work_end)
    places = {at for span in cuts.page for at in span if page[0] < at < page[1]}
    places |= {_partner_place(at, work, page) for span in cuts.work for at in span if work[0] < at < work[1]}
    bounds = sorted({*page, *places})
    if len(bounds) < 3:  # nothing between its ends
        yield run
        return
    for begin, end in pairwise(bounds):
        yield Edit(run.kind, begin, end, _partner_place(begin, page, work), _partner_place(end, page, work))


def _partner_place(at: int, span: tuple[int, int], other: tuple[int, int]) -> int:
    """The place in the other text; where a run is not as long there, in proportion."""
    length, others = span[1] - span[0], other[1] - other[0]
    return other[0] + (at - span[0]) * others // length


def _is_excluded(run: Edit, cuts: ExcludedSpans) -> bool:
    """Whether a run that lies in a cut or in none lies in one; by its middle, as a part's partner may be one off."""
    page, work = (run.page_start + run.page_end) / 2, (run.work_start + run.work_end) / 2
    on_page = any(begin <= page < end for begin, end in cuts.page)
    in_work = run.kind is not EditKind.DELETED and any(begin <= work < end for begin, end in cuts.work)
    return on_page or in_work


def _make_part(passage: Passage, piece: list[Edit]) -> Passage:
    """The part of a passage that these runs make, without what was changed at its end."""
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


def _weigh_match(
    match: Match, left: Sequence[Passage], page_length: int, work_length: int, calibration: Calibration
) -> Match:
    before, after = _sum_evidence(match.passages), _sum_evidence(left)
    kept = min(1.0, after / before) if before else 0.0
    weight = match.weight * kept
    figures: dict[str, Any] = {
        "share_of_page": copied_share(left, Side.PAGE, page_length),
        "share_of_work": copied_share(left, Side.WORK, work_length),
        "longest_run": min(match.longest_run, _longest_run(left)),
        "similarity": _weighted_mean(left, "similarity"),
        **{name: _weighted_mean(left, name) for name in _SAMENESS_FIELDS if getattr(match, name) is not None},
    }
    reasons = _update_reasons(match.reasons if left else (), {**figures, "passages": len(left)})
    return replace(
        match,
        weight=weight,
        score=calibration.probability(weight),
        passages=tuple(left),
        reasons=(*reasons, f"excluded:{1 - kept}"),
        **figures,
    )


def _sum_evidence(passages: Iterable[Passage]) -> float:
    return sum(copied_length([passage], Side.PAGE) * passage.similarity for passage in passages)


def _longest_run(passages: Iterable[Passage]) -> int:
    return max((end - start for passage in passages for start, end in copied_spans(passage, Side.PAGE)), default=0)


def _weighted_mean(passages: Iterable[Passage], name: str) -> float:
    """Of a figure of the passages, each counting by its length."""
    lengths = {passage: copied_length([passage], Side.PAGE) for passage in passages}
    total = sum(lengths.values())
    return sum((getattr(one, name) or 0.0) * length for one, length in lengths.items()) / total if total else 0.0


def _update_reasons(reasons: Iterable[str], figures: Mapping[str, float]) -> Iterator[str]:
    for reason in reasons:
        key = reason.partition(":")[0]
        if key not in _UNKNOWN_REASONS:
            yield f"{key}:{figures[key]}" if key in figures else reason
