"""Mark both texts of a case by source, and draw the passage ruler."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import Final, NamedTuple

from crawler.extraction.model import DroppedText
from dashboard.cases.text_pieces import Piece, Span, chunk_pieces, cut_pieces, edit_spans, passage_spans
from matcher.alignment.aligned_span import Side, copied_share, copied_spans, count_characters, count_text
from matcher.model import Change, CommonPassage, Level, Match, Passage
from wenhen.cases.model import Case
from wenhen.cases.passages import find_unmatched_text
from wenhen.context.use_cases import Product
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.blobs import Blobs

# The text of a page, marked for all works that it copies. Each piece gets the style of one source.


PRESENT_SOURCE: Final = 1  # the number of the case's own work among the page's sources
COMMON_LOOK: Final = "common"  # the style of common text, whose beginning shows the reason
HATCH_COUNT: Final = 6  # further sources reuse these hatches, their letters distinguish them


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A piece with its style.

    `heads` is the source whose stretch begins here, or 0. The present case's passages have numbers instead.
    """

    piece: Piece
    look: str
    heads: int = 0


def source_spans(matches: Sequence[Match]) -> list[Span]:
    """Return the spans copied from each source of a page, and its common text. The present case comes first."""
    return [
        *(
            Span(0, start, end, "", source=number)
            for number, match in enumerate(matches, PRESENT_SOURCE)
            for passage in match.passages
            for start, end in copied_spans(passage, Side.PAGE)
        ),
        *(
            Span(0, common.passage.page_start, common.passage.page_end, _common_kind(common))
            for match in matches
            for common in match.common
        ),
    ]


def common_work_spans(match: Match) -> list[Span]:
    """Return the spans of the work that were excluded as common text."""
    return [
        Span(0, common.passage.work_start, common.passage.work_end, _common_kind(common)) for common in match.common
    ]


def _common_kind(common: CommonPassage) -> str:
    """Return the reason, then a colon and the title of the common text that explains the passage."""
    return common.reason if common.title is None else f"{common.reason}:{common.title.strip('《》')}"


def mark_pieces(pieces: Iterable[Piece], shown: Collection[int]) -> Iterator[MarkedPiece]:
    """Mark the pieces of a page's text for the sources that are shown."""
    before, common = 0, False
    for piece in pieces:
        if piece.unmatched or not piece.text:
            yield MarkedPiece(piece, "")
            continue
        source = next((number for number in piece.sources if number in shown), 0)
        look = _piece_look(piece, source, shown)
        heads = source if source not in (before, PRESENT_SOURCE) else 0
        yield MarkedPiece(piece, f"{look} first" if look == COMMON_LOOK and not common else look, heads)
        before, common = source, look == COMMON_LOOK


def hatch_of(source: int) -> int:
    """Return the hatch number of a source other than the present case's, from 1."""
    return (source - PRESENT_SOURCE - 1) % HATCH_COUNT + 1


def look_of(source: int) -> str:
    """Return the style of a source. The present case's passages show their changes instead."""
    return "same" if source == PRESENT_SOURCE else f"source source-{hatch_of(source)}"


def _piece_look(piece: Piece, source: int, shown: Collection[int]) -> str:
    if source > PRESENT_SOURCE:
        return look_of(source)
    if source or (piece.passages and PRESENT_SOURCE in shown and not piece.sources):
        return piece.kind
    if piece.sources:
        return "off"
    return COMMON_LOOK if piece.reason else "ignored"


def add_unmatched(pieces: Iterable[Piece], unmatched: Sequence[DroppedText]) -> Iterator[Piece]:
    """Insert the dropped text into the matched text, at the places where the page shows it."""
    offset, waiting = 0, list(reversed(unmatched))
    for piece in pieces:
        rest = piece
        while waiting and waiting[-1].offset < offset + len(rest.text):
            dropped = waiting.pop()
            if (cut := dropped.offset - offset) > 0:
                yield replace(rest, text=rest.text[:cut], left_out=0)
                rest = replace(rest, text=rest.text[cut:], begins=(), meet=None)
            yield _unmatched_piece(dropped)
            offset = max(offset, dropped.offset)
        yield rest
        offset += len(rest.text) + rest.left_out
    yield from map(_unmatched_piece, reversed(waiting))


def _unmatched_piece(dropped: DroppedText) -> Piece:
    return Piece(dropped.text, reason=dropped.reason, unmatched="line" if dropped.inside else "block")


# All works that one page copies: the combined share and the share of each. Shares are in [0, 1].


class OtherWork(NamedTuple):
    """A work with the same text as a source of the page. The title is empty if the work is not stored."""

    work_id: str
    title: str


class PageSource(NamedTuple):
    """A work that a page copies, and the works with the same text."""

    number: int  # from 1, which is the work of the present case
    case: Case
    also_in: tuple[OtherWork, ...]

    @property
    def letter(self) -> str:
        """Return the source's name in the text: A to Z, then AA."""
        turn, place = divmod(self.number - 1, len(ascii_uppercase))
        return ascii_uppercase[place] * (turn + 1)

    @property
    def look(self) -> str:
        """Return the style of the source's text."""
        return look_of(self.number)

    @property
    def hatch(self) -> int:
        """Return the number of the source's hatch on the ruler. It is not defined for the present case's work."""
        return hatch_of(self.number)


def cases_of_same_text(case: Case, others: Sequence[Case]) -> list[Case]:
    """Return the case, then those of other works in the same text of the page, by size.

    A case that is gone is left out, unless the given case is gone too.
    """
    same = [
        other
        for other in others
        if other.id != case.id
        and other.page_text_digest == case.page_text_digest
        and (other.present or not case.present)
    ]
    return [case, *sorted(same, key=lambda source: (-source.match.share_of_page, source.number))]


def page_sources(cases: Sequence[Case], titles: Mapping[str, str]) -> list[PageSource]:
    """Return the sources among the cases of one page, in their order.

    A work whose whole text is in another one is not a source of its own. It is named there. `titles` are those of works
    with the same text, by id.
    """
    own: list[Case] = []
    for case in cases:
        if not any(source.work_id in case.match.also_in for source in own):
            own.append(case)
    return [
        PageSource(number, case, _works_with_same_text(case, cases, own, titles)) for number, case in enumerate(own, 1)
    ]


def combined_share(sources: Sequence[PageSource], page_text: str | None) -> float:
    """Return the share of the page that was copied from any source. Overlaps count once."""
    largest = largest_source(sources).case.match.share_of_page
    if page_text is None:
        return largest
    passages = (passage for source in sources for passage in source.case.match.passages)
    return max(copied_share(passages, Side.PAGE, count_text(page_text)), largest)


def largest_source(sources: Sequence[PageSource]) -> PageSource:
    """Return the source with the largest share of the page."""
    return max(sources, key=lambda source: (source.case.match.share_of_page, -source.case.number))


def _works_with_same_text(
    case: Case, cases: Sequence[Case], own: Sequence[Case], titles: Mapping[str, str]
) -> tuple[OtherWork, ...]:
    """Return the works with the same text as a source, without those that are sources themselves."""
    held = [other.work_id for other in cases if case.work_id in other.match.also_in]
    without = {own_case.work_id for own_case in own}
    names = {other.work_id: other.work_title for other in cases}
    ids = [id for id in dict.fromkeys([*case.match.also_in, *held]) if id not in without]
    return tuple(OtherWork(id, names.get(id) or titles.get(id, "")) for id in ids)


# A paraphrase suspicion on the case screen: its sentences stand for passages, so that lines connect them.


def has_copied_letters(case: Case) -> bool:
    """Return whether matching letters prove the copy."""
    return case.match.level is not Level.SUSPECTED


def sentences_as_passages(case: Case) -> Case:
    """Return the case with the sentences of a suspicion as passages. Return any other case unchanged."""
    if has_copied_letters(case):
        return case
    passages = tuple(
        Passage(
            page_start=pair.page_start,
            page_end=pair.page_end,
            work_start=pair.work_start,
            work_end=pair.work_end,
            similarity=0.0,
            change=Change.REWRITTEN,
        )
        for pair in case.match.retold
    )
    return replace(case, match=replace(case.match, passages=passages))


NumberedPassages = list[tuple[int, Passage]]


@dataclass(frozen=True, slots=True)
class Pane:
    """One of the two texts. `chunks` is None if the text is missing from the store."""

    chunks: list[list[MarkedPiece]] | None
    length: int  # code points of the matched text
    characters: int  # of them, without white space


@dataclass(frozen=True, slots=True)
class CaseTexts:
    """Both panes.

    `unmatched` tells whether the page shows text that was not matched. `common` tells whether there is common text.
    """

    page: Pane
    work: Pane
    share_together: float
    unmatched: bool
    common: bool


def number_passages(match: Match) -> NumberedPassages:
    """Number the passages in page order, from 1."""
    return list(enumerate(sorted(match.passages, key=lambda passage: (passage.page_start, passage.work_start)), 1))


def case_texts(product: Product, case: Case, sources: Sequence[PageSource], shown: Collection[int]) -> CaseTexts:
    """Return both texts for display.

    `sources` are the page's, the case's own first. `shown` holds the numbers of those to mark.
    """
    matches = [source.case.match for source in sources]
    page, work = (_read_text(product.store.blobs, digest) for digest in (case.page_text_digest, case.work_text_digest))
    passages = number_passages(case.match)
    sides = passage_spans(passages) if page is None or work is None else edit_spans(page, work, passages)
    beside = [] if page is None else find_unmatched_text(product, case, page)
    on_page = [] if page is None else [*add_unmatched(cut_pieces(page, [*sides.page, *source_spans(matches)]), beside)]
    on_work = cut_pieces(work or "", [*sides.work, *common_work_spans(case.match)])
    return CaseTexts(
        Pane(None if page is None else _mark_chunks(on_page, shown), len(page or ""), count_characters(page or "")),
        Pane(
            None if work is None else _mark_chunks(on_work, {PRESENT_SOURCE}),
            len(work or ""),
            count_characters(work or ""),
        ),
        share_together=combined_share(sources, page),
        unmatched=bool(beside),
        common=any(match.common for match in matches),
    )


def _mark_chunks(pieces: Sequence[Piece], shown: Collection[int]) -> list[list[MarkedPiece]]:
    cut = chunk_pieces(pieces)
    looks = mark_pieces((piece for chunk in cut for piece in chunk), shown)
    return [[next(looks) for _ in chunk] for chunk in cut]


def _read_text(blobs: Blobs, digest: str) -> str | None:
    try:
        return blobs.get_text(digest)
    except NotFound:
        return None


RULER_WIDTH: Final = 1_000.0  # of the drawing, in its own units
MIN_BAND_WIDTH: Final = 2.0  # keeps a sentence in a novel visible and clickable
MIN_VISIBLE_GAP: Final = 1.0  # narrower gaps are not drawn

BarStretch = tuple[float, float]  # left edge and width


@dataclass(frozen=True, slots=True)
class RulerBand:
    """One passage on the ruler: the copied stretches on the page's bar and on the work's."""

    number: int
    change: Change
    page: tuple[BarStretch, ...]
    work: tuple[BarStretch, ...]

    @property
    def between(self) -> str:
        """Return the corners of the band between the bars, as SVG points."""
        left, right = self.page[0][0], sum(self.page[-1])
        work_left, work_right = self.work[0][0], sum(self.work[-1])
        return f"{left:g},14 {right:g},14 {work_right:g},42 {work_left:g},42"


def ruler_bands(passages: list[tuple[int, Passage]], page_length: int, work_length: int) -> list[RulerBand]:
    """Return the bands of the numbered passages, in order. Lengths are in code points and may be 0."""
    return [
        RulerBand(
            number,
            passage.change,
            tuple(_bar_stretches(_copied_spans(passage, Side.PAGE), page_length)),
            tuple(_bar_stretches(_copied_spans(passage, Side.WORK), work_length)),
        )
        for number, passage in passages
    ]


def source_stretches(match: Match, page_length: int) -> list[BarStretch]:
    """Return the stretches on the page's bar that were copied from another source."""
    spans = sorted(span for passage in match.passages for span in copied_spans(passage, Side.PAGE))
    return list(_bar_stretches(spans, page_length))


def _copied_spans(passage: Passage, side: Side) -> list[tuple[int, int]]:
    """Return the copied spans of a passage.

    If nothing was copied, return its start as an empty span, to give it a place.
    """
    start = passage.page_start if side is Side.PAGE else passage.work_start
    return list(copied_spans(passage, side)) or [(start, start)]


def _bar_stretches(spans: Iterable[tuple[int, int]], length: int) -> Iterator[BarStretch]:
    """Place the spans on a bar in order. Merge them across gaps that are too narrow to see."""
    last: BarStretch | None = None
    for left, width in (_place_on_bar(start, end, length) for start, end in spans):
        if last and left - sum(last) < MIN_VISIBLE_GAP:
            last = (last[0], round(max(sum(last), left + width) - last[0], 2))
            continue
        if last:
            yield last
        last = (left, width)
    if last:
        yield last


def _place_on_bar(start: int, end: int, length: int) -> BarStretch:
    if length <= 0:
        return 0.0, MIN_BAND_WIDTH
    left, right = (RULER_WIDTH * max(0, min(offset, length)) / length for offset in (start, end))
    width = max(MIN_BAND_WIDTH, right - left)
    return round(min(left, RULER_WIDTH - width), 2), round(width, 2)
