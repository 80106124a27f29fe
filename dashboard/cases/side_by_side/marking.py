"""The text of a page marked for all works that it copies: which of them gives each piece its look."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.extract.unmatched import Unmatched
from dashboard.cases.side_by_side.panes import Piece, Span
from matcher.verdict.copied_shares import Side, copied_spans
from store.records import Match

PRESENT: Final = 1  # the number of the case's own work among the sources of its page
COMMON: Final = "common"  # the look of common property; where it begins, the reason is said
HATCHES: Final = 6  # further sources have them again, told by their letters


@dataclass(frozen=True, slots=True)
class Marked:
    """A piece with its look.

    `heads` is the source whose stretch begins here, 0 where none does; the present case's passages have numbers.
    """

    piece: Piece
    look: str
    heads: int = 0


def source_spans(matches: Sequence[Match]) -> list[Span]:
    """What was copied from each source of a page, and what it shares as common property; the present case first."""
    return [
        *(
            Span(0, start, end, "", source=number)
            for number, match in enumerate(matches, PRESENT)
            for passage in match.passages
            for start, end in copied_spans(passage, Side.PAGE)
        ),
        *(
            Span(0, one.passage.page_start, one.passage.page_end, one.reason)
            for match in matches
            for one in match.common
        ),
    ]


def common_of_work(match: Match) -> list[Span]:
    """What of a work was left out for being common property."""
    return [Span(0, one.passage.work_start, one.passage.work_end, one.reason) for one in match.common]


def marked(pieces: Iterable[Piece], shown: Collection[int]) -> Iterator[Marked]:
    """The pieces of a page's text, marked for those of its sources that are shown."""
    before, common = 0, False
    for piece in pieces:
        if piece.unmatched or not piece.text:
            yield Marked(piece, "")
            continue
        source = next((number for number in piece.sources if number in shown), 0)
        look = _look(piece, source, shown)
        heads = source if source not in (before, PRESENT) else 0
        yield Marked(piece, f"{look} first" if look == COMMON and not common else look, heads)
        before, common = source, look == COMMON


def hatch_of(source: int) -> int:
    """The number of the hatch of a source other than the present case's, from 1."""
    return (source - PRESENT - 1) % HATCHES + 1


def look_of(source: int) -> str:
    """The look of a source; the present case's passages show what was changed in them."""
    return "same" if source == PRESENT else f"source source-{hatch_of(source)}"


def _look(piece: Piece, source: int, shown: Collection[int]) -> str:
    if source > PRESENT:
        return look_of(source)
    if source or (piece.passages and PRESENT in shown and not piece.sources):
        return piece.kind
    if piece.sources:
        return "off"
    return COMMON if piece.reason else "ignored"


def with_unmatched(pieces: Iterable[Piece], unmatched: Sequence[Unmatched]) -> Iterator[Piece]:
    """The pieces of the matched text, with what else the page shows where it stood."""
    at, waiting = 0, list(reversed(unmatched))
    for piece in pieces:
        rest = piece
        while waiting and waiting[-1].at < at + len(rest.text):
            one = waiting.pop()
            if (cut := one.at - at) > 0:
                yield replace(rest, text=rest.text[:cut], left_out=0)
                rest = replace(rest, text=rest.text[cut:], begins=(), meet=None)
            yield _unmatched(one)
            at = max(at, one.at)
        yield rest
        at += len(rest.text) + rest.left_out
    yield from map(_unmatched, reversed(waiting))


def _unmatched(one: Unmatched) -> Piece:
    return Piece(one.text, reason=one.reason, unmatched="line" if one.inside else "block")
