"""What is left of a match once people have excluded text from it, and what that amounts to.

Excluded text is known by its letters and left out wherever it stands, on the page or in the work. A passage in which
it stands is cut there; its evidence goes with the characters.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Protocol

from fingerprinter.letters import Letters
from matcher.alignment.edits import Edit, EditKind, edits
from matcher.verdict.copied_shares import Side, copied, copied_spans, share
from matcher.verdict.probability import Calibration
from matcher.verdict.quotation import PIECES, QUOTATION
from store.records import Match, Passage

LEAST: Final = 8  # letters of a text that is excluded, and characters of what is left of a passage
_AGREEING: Final = (EditKind.SAME, EditKind.SAME_SOUND, EditKind.VARIANT)
_SAMENESS: Final = ("same_characters", "variants", "same_sound")
_COUNTS_OF_PASSAGES: Final = ("attributed", "quoted")  # reasons that are not known of what is left

Spans = Sequence[tuple[int, int]]  # code points of a text, ends exclusive


class Read(Protocol):
    """A text with its letters."""

    @property
    def text(self) -> str: ...
    @property
    def letters(self) -> Letters: ...


class Text(NamedTuple):
    """One that has been read already."""

    text: str
    letters: Letters


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where excluded text stands in both texts."""

    page: Spans
    work: Spans


def stretches(block: bytes, letters: Letters) -> list[tuple[int, int]]:
    """Where a text with these letters (a byte each) stands, each time, in code points."""
    codes = letters.codes.tobytes()
    found, at = [], codes.find(block) if block else -1
    while at >= 0:
        found += _written(letters, at, at + len(block))
        at = codes.find(block, at + len(block))
    return found


def without(match: Match, blocks: Iterable[bytes], page: Read, work: Read, calibration: Calibration) -> Match:
    """The match without the text that has these letters; the same one where it has none of it."""
    wanted = list(blocks)
    cuts = Cuts(
        [span for block in wanted for span in stretches(block, page.letters)],
        [span for block in wanted for span in stretches(block, work.letters)],
    )
    left = [part for one in match.passages for part in _left(one, cuts, page.text, work.text)]
    if left == list(match.passages):
        return match
    return _weighed(match, left, len(page.text), len(work.text), calibration)


def without_all(match: Match, calibration: Calibration) -> Match:
    """The match without any of its passages: its work is no source."""
    return _weighed(match, [], 0, 0, calibration)


def copies(match: Match) -> bool:
    """Whether what is left of a match is more than a quotation (`matcher.verdict.quotation`)."""
    large = any(copied([one], side) >= QUOTATION for one in match.passages for side in Side)
    return large or match.weight >= PIECES


def _written(letters: Letters, begin: int, end: int) -> list[tuple[int, int]]:
    """The code points of letters: in one piece where they stand as they are read."""
    if letters.in_order:
        return [letters.span(begin, end)]
    return [letters.span(at, at + 1) for at in range(begin, end)]


def _left(passage: Passage, cuts: Cuts, page_text: str, work_text: str) -> list[Passage]:
    sides = ((Side.PAGE, cuts.page), (Side.WORK, cuts.work))
    outside = [_outside(list(copied_spans(passage, side)), spans) for side, spans in sides]
    if outside == [list(copied_spans(passage, side)) for side, _ in sides]:
        return [passage]
    if not all(outside):
        return []
    pieces = _pieces(edits(page_text, work_text, passage), cuts)
    parts = [_part(passage, piece) for piece in pieces]
    return [part for part in parts if copied([part], Side.PAGE) >= LEAST]


def _outside(spans: Iterable[tuple[int, int]], cuts: Spans) -> list[tuple[int, int]]:
    """What of the spans lies in none of the cuts."""
    left = list(spans)
    for begin, end in cuts:
        left = [part for one in left for part in ((one[0], min(one[1], begin)), (max(one[0], end), one[1]))]
        left = list(dict.fromkeys((start, last) for start, last in left if start < last))
    return left


def _pieces(runs: Iterable[Edit], cuts: Cuts) -> Iterator[list[Edit]]:
    """The agreeing runs from one cut to the next, in the order of the page, with what was changed between them."""
    piece: list[Edit] = []
    for run in chain.from_iterable(_split(whole, cuts) for whole in runs):
        if _excluded(run, cuts):
            yield piece
            piece = []
        elif piece or run.kind in _AGREEING:
            piece.append(run)
    yield piece


def _split(run: Edit, cuts: Cuts) -> Iterator[Edit]:
    """A run in parts that lie in a cut or in none."""
    page, work = (run.page_start, run.page_end), (run.work_start, run.work_end)
    places = {at for span in cuts.page for at in span if page[0] < at < page[1]}
    places |= {_partner(at, work, page) for span in cuts.work for at in span if work[0] < at < work[1]}
    bounds = sorted({*page, *places})
    if len(bounds) < 3:  # nothing between its ends
        yield run
        return
    for begin, end in pairwise(bounds):
        yield Edit(run.kind, begin, end, _partner(begin, page, work), _partner(end, page, work))


def _partner(at: int, span: tuple[int, int], other: tuple[int, int]) -> int:
    """The place in the other text; where a run is not as long there, in proportion."""
    length, others = span[1] - span[0], other[1] - other[0]
    return other[0] + (at - span[0]) * others // length


def _excluded(run: Edit, cuts: Cuts) -> bool:
    """Whether a run that lies in a cut or in none lies in one; by its middle, as a part's partner may be one off."""
    page, work = (run.page_start + run.page_end) / 2, (run.work_start + run.work_end) / 2
    on_page = any(begin <= page < end for begin, end in cuts.page)
    in_work = run.kind is not EditKind.DELETED and any(begin <= work < end for begin, end in cuts.work)
    return on_page or in_work


def _part(passage: Passage, piece: list[Edit]) -> Passage:
    """The part of a passage that these runs make, without what was changed at its end."""
    while piece and piece[-1].kind not in _AGREEING:
        piece = piece[:-1]
    page_start, page_end = _bounds([(run.page_start, run.page_end) for run in piece])
    work_start, work_end = _bounds([(run.work_start, run.work_end) for run in piece])
    return replace(
        passage,
        page_start=page_start,
        page_end=page_end,
        work_start=work_start,
        work_end=work_end,
        page_gaps=_inside(passage.page_gaps, page_start, page_end),
        work_gaps=_inside(passage.work_gaps, work_start, work_end),
    )


def _bounds(spans: Spans) -> tuple[int, int]:
    return min((start for start, _ in spans), default=0), max((end for _, end in spans), default=0)


def _inside(gaps: Spans, start: int, end: int) -> tuple[tuple[int, int], ...]:
    clipped = ((max(start, begin), min(end, last)) for begin, last in gaps)
    return tuple((begin, last) for begin, last in clipped if begin < last)


def _weighed(
    match: Match, left: Sequence[Passage], page_length: int, work_length: int, calibration: Calibration
) -> Match:
    before, after = _evidence(match.passages), _evidence(left)
    kept = min(1.0, after / before) if before else 0.0
    weight = match.weight * kept
    figures: dict[str, Any] = {
        "share_of_page": share(left, Side.PAGE, page_length),
        "share_of_work": share(left, Side.WORK, work_length),
        "longest_run": min(match.longest_run, _longest(left)),
        "similarity": _mean(left, "similarity"),
        **{name: _mean(left, name) for name in _SAMENESS if getattr(match, name) is not None},
    }
    reasons = _told_anew(match.reasons if left else (), {**figures, "passages": len(left)})
    return replace(
        match,
        weight=weight,
        score=calibration.probability(weight),
        passages=tuple(left),
        reasons=(*reasons, f"excluded:{1 - kept}"),
        **figures,
    )


def _evidence(passages: Iterable[Passage]) -> float:
    return sum(copied([one], Side.PAGE) * one.similarity for one in passages)


def _longest(passages: Iterable[Passage]) -> int:
    return max((end - start for one in passages for start, end in copied_spans(one, Side.PAGE)), default=0)


def _mean(passages: Iterable[Passage], name: str) -> float:
    """Of a figure of the passages, each counting by its length."""
    lengths = {one: copied([one], Side.PAGE) for one in passages}
    total = sum(lengths.values())
    return sum((getattr(one, name) or 0.0) * length for one, length in lengths.items()) / total if total else 0.0


def _told_anew(reasons: Iterable[str], figures: Mapping[str, float]) -> Iterator[str]:
    for reason in reasons:
        key = reason.partition(":")[0]
        if key not in _COUNTS_OF_PASSAGES:
            yield f"{key}:{figures[key]}" if key in figures else reason
