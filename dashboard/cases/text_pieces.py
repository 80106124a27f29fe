"""Cut texts at the borders of passages, edits and gaps."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise
from operator import itemgetter
from typing import Final, NamedTuple

from matcher.alignment.edits import Edit, EditKind, list_edits_between
from matcher.model import Passage

CHUNK_CHARACTERS: Final = 3_000  # approximate number of characters that a browser lays out at a time
MAX_WHOLE_CHARACTERS: Final = 200_000  # up to this length a text is shown whole
CONTEXT_CHARACTERS: Final = 2_000  # of longer ones, this much beside each passage
GAP_KIND: Final = "gap"  # the kind of unchanged text that was not copied, over which any other kind takes precedence


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a text in code points. `kind` is its style.

    `passage` is the number of its passage, and `source` the number of the copied work. Both are 0 if there is none.
    `meet` numbers a place where both texts agree. The stretch of the other text has the same number.
    """

    passage: int
    start: int
    end: int
    kind: str
    meet: int | None = None
    source: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text with one style.

    `passages` are the passages that cover it, and `begins` those that start here. `sources` are the copied works. Text
    without passages and sources was ignored. `left_out` is the number of characters omitted after it. `meet` is as in
    `Span`. `reason` says why the text was not counted. `unmatched` says how it stood on the page: as a part of a
    `line`, or as a `block` of lines.
    """

    text: str
    passages: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    kind: str = ""
    left_out: int = 0
    meet: int | None = None
    sources: tuple[int, ...] = ()
    reason: str = ""
    unmatched: str = ""


def cut_pieces(text: str, spans: Sequence[Span]) -> list[Piece]:
    """Cut the text at the borders of the spans. Where spans overlap, the first one sets the style."""
    starting: dict[int, list[Span]] = {}
    for span in spans:
        starting.setdefault(max(0, min(span.start, len(text))), []).append(span)
    borders = sorted({0, len(text), *starting, *(max(0, min(span.end, len(text))) for span in spans)})
    shown: list[Piece] = []
    running: list[Span] = []
    seen: set[int] = set()
    for start, end in zip(borders, [*borders[1:], len(text)], strict=True):
        new = starting.get(start, [])
        running = [span for span in running + new if span.end > start]
        begins = tuple(dict.fromkeys(span.passage for span in new if span.passage and span.passage not in seen))
        seen.update(begins)
        if start == end and not begins:
            continue
        if begins or running:
            meet = next((span.meet for span in new if span.meet is not None), None)
            shown.extend(_cut_spans(text[start:end], running if end > start else [], begins, meet))
        else:
            shown.extend(_shorten_uncopied(text[start:end], whole=len(text) <= MAX_WHOLE_CHARACTERS))
    return shown


def _cut_spans(text: str, spans: Sequence[Span], begins: tuple[int, ...], meet: int | None) -> Iterator[Piece]:
    kinds = [span.kind for span in spans if span.passage]
    piece = Piece(
        text,
        passages=tuple(dict.fromkeys(span.passage for span in spans if span.passage)),
        kind=next((kind for kind in kinds if kind != GAP_KIND), GAP_KIND) if kinds else "",
        sources=tuple(sorted({span.source for span in spans if span.source})),
        reason=next((span.kind for span in spans if not span.passage and not span.source), ""),
    )
    words = text.lstrip() if begins else text
    if words and words != text:  # number a passage where its words begin
        yield replace(piece, text=text[: -len(words)])
    yield replace(piece, text=words or text, begins=begins, meet=meet)


def chunk_pieces(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Group the pieces in chunks that end with a line feed, so that each can be its own block.

    A text without lines is one chunk.
    """
    pieceses: list[list[Piece]] = [[]]
    length = 0
    for piece in pieces:
        rest = piece
        while (
            length + len(rest.text) >= CHUNK_CHARACTERS
            and (feed := rest.text.find("\n", max(0, CHUNK_CHARACTERS - length))) >= 0
        ):
            cut = feed + 1
            pieceses[-1].append(replace(rest, text=rest.text[:cut], left_out=0))
            pieceses.append([])
            rest = replace(rest, text=rest.text[cut:], begins=(), meet=None)
            length = 0
        if rest.text or rest.begins or rest.left_out:
            pieceses[-1].append(rest)
            length += len(rest.text)
    return [chunk for chunk in pieceses if chunk]


def _shorten_uncopied(text: str, *, whole: bool) -> Iterator[Piece]:
    if whole or len(text) <= 2 * CONTEXT_CHARACTERS:
        yield Piece(text)
    else:
        yield Piece(text[:CONTEXT_CHARACTERS], left_out=len(text) - 2 * CONTEXT_CHARACTERS)
        yield Piece(text[-CONTEXT_CHARACTERS:])


MEETING_INTERVAL_CHARACTERS: Final = 300  # approximate number of characters of a passage between two meeting places

_AGREEING_KINDS: Final = frozenset({"", EditKind.SAME, EditKind.SAME_SOUND, EditKind.VARIANT})


class SpanPair(NamedTuple):
    """The stretches of one or more passages in both texts."""

    page: list[Span]
    work: list[Span]


def edit_spans(page_text: str, work_text: str, passages: Iterable[tuple[int, Passage]]) -> SpanPair:
    """Return the edit runs of the numbered passages in code points of both texts. Cut them at the text's ends."""
    sides = SpanPair([], [])
    meetings = count(1)
    for number, passage in passages:
        page_at, work_at = max(0, passage.page_start), max(0, passage.work_start)
        runs = list_edits_between(page_text[page_at : passage.page_end], work_text[work_at : passage.work_end])
        for run, meets in _meeting_edits(runs):
            meet = next(meetings) if meets else None
            kind = EditKind.SAME if run.kind is EditKind.SPACE else run.kind  # white space does not count as a change
            on_page = Span(number, page_at + run.page_start, page_at + run.page_end, kind, meet)
            on_work = Span(number, work_at + run.work_start, work_at + run.work_end, kind, meet)
            sides.page.extend(_split_at_gaps(on_page, passage.page_gaps))
            sides.work.extend(_split_at_gaps(on_work, passage.work_gaps))
        if not runs:  # keep its place, so that its number appears on both sides
            sides.page.append(Span(number, page_at, page_at, EditKind.SAME))
            sides.work.append(Span(number, work_at, work_at, EditKind.SAME))
    return sides


def passage_spans(passages: Iterable[tuple[int, Passage]]) -> SpanPair:
    """Return the passages without their edits, but with their gaps, for a case with a missing text."""
    sides = SpanPair([], [])
    for number, passage in passages:
        sides.page.extend(_split_at_gaps(Span(number, passage.page_start, passage.page_end, ""), passage.page_gaps))
        sides.work.extend(_split_at_gaps(Span(number, passage.work_start, passage.work_end, ""), passage.work_gaps))
    return sides


def cut_passage_pair(passage: Passage, page: str, work: str) -> tuple[list[Piece], list[Piece]]:
    """Cut both sides of one passage at its edits. `page` and `work` are its text on either side."""
    sides = edit_spans(page, work, [(1, _relative_passage(passage))])
    return cut_pieces(page, sides.page), cut_pieces(work, sides.work)


def _relative_passage(passage: Passage) -> Passage:
    """Shift the offsets of a passage to its own beginning on either side."""
    page_at, work_at = passage.page_start, passage.work_start
    return replace(
        passage,
        page_start=0,
        page_end=passage.page_end - page_at,
        work_start=0,
        work_end=passage.work_end - work_at,
        page_gaps=tuple((start - page_at, end - page_at) for start, end in passage.page_gaps),
        work_gaps=tuple((start - work_at, end - work_at) for start, end in passage.work_gaps),
    )


def _split_at_gaps(span: Span, gaps: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Split a span without edits at its gaps. Edits already have their own style."""
    if span.kind not in _AGREEING_KINDS or not gaps:
        yield span
        return
    first = bisect_right(gaps, span.start, key=itemgetter(1))
    inside = [gap for gap in gaps[first:] if gap[0] < span.end]
    bounds = [span.start, *(min(max(offset, span.start), span.end) for offset in chain.from_iterable(inside)), span.end]
    meet = span.meet
    for number, (start, end) in enumerate(pairwise(bounds)):
        if start < end or len(bounds) == 2:
            yield replace(span, start=start, end=end, kind=GAP_KIND if number % 2 else span.kind, meet=meet)
            meet = None


def _meeting_edits(runs: Iterable[Edit]) -> Iterator[tuple[Edit, bool]]:
    """Split the runs of a passage, and yield each part with whether it begins at a new meeting place.

    Unchanged runs are split into short parts. The start of the passage is marked separately, so it is not a meeting
    place.
    """
    since = 0
    for run in runs:
        for part in _split_edit(run):
            meets = part.kind is EditKind.SAME and since >= MEETING_INTERVAL_CHARACTERS
            yield part, meets
            since = part.page_end - part.page_start + (0 if meets else since)


def _split_edit(run: Edit) -> Iterator[Edit]:
    length = run.page_end - run.page_start
    if (
        run.kind is not EditKind.SAME
        or length != run.work_end - run.work_start
        or length <= MEETING_INTERVAL_CHARACTERS
    ):
        yield run
        return
    for offset in range(0, length, MEETING_INTERVAL_CHARACTERS):
        end = min(offset + MEETING_INTERVAL_CHARACTERS, length)
        yield replace(
            run,
            page_start=run.page_start + offset,
            page_end=run.page_start + end,
            work_start=run.work_start + offset,
            work_end=run.work_start + end,
        )
