"""Each character of a page has the look of the first shown source that it was copied from, and of no other."""

from dataclasses import replace
from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from crawler.extraction.model import DroppedText, DropReason
from dashboard.cases.side_by_side import MarkedPiece, add_unmatched, common_work_spans, mark_pieces, source_spans
from dashboard.cases.text_pieces import Piece, Span, cut_passage_pair, cut_pieces, edit_spans, passage_spans
from matcher.alignment.aligned_span import Side, copied_length, copied_spans
from matcher.alignment.edits import EditKind
from matcher.model import CommonPassage, CommonReason, Match, Passage
from tests.support.samples import match

TEXT = "甲乙丙丁戊己庚辛壬癸" * 4
(PLAIN,) = match().passages


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    """A passage of the text with some gaps."""
    bounds = draw(st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=8, unique=True).map(sorted))
    inner = bounds[1:-1][: (len(bounds) - 2) // 2 * 2]
    gaps = tuple(zip(inner[::2], inner[1::2], strict=True))
    return replace(PLAIN, page_start=bounds[0], page_end=bounds[-1], work_start=0, work_end=len(TEXT), page_gaps=gaps)


MATCHES = st.lists(
    st.lists(passages(), max_size=3).map(lambda found: match(passages=tuple(found))), min_size=1, max_size=3
)


def has(one: Match, at: int) -> bool:
    """Whether this character of the page was copied from a work."""
    spans = chain.from_iterable(copied_spans(passage, Side.PAGE) for passage in one.passages)
    return any(start <= at < end for start, end in spans)


def of(matches: list[Match], shown: set[int]) -> list[MarkedPiece]:
    """The page marked for these sources, the work being the same text."""
    sides = edit_spans(TEXT, TEXT, list(enumerate(matches[0].passages, 1)))
    return list(mark_pieces(cut_pieces(TEXT, [*sides.page, *source_spans(matches)]), shown))


def looks(marks: list[MarkedPiece]) -> list[str]:
    """The look of each character."""
    return list(chain.from_iterable([one.look] * len(one.piece.text) for one in marks))


@given(MATCHES, st.sets(st.integers(1, 3)))
def test_the_first_shown_source_that_has_a_character_gives_it_its_look(matches: list[Match], shown: set[int]) -> None:
    having = [[n for n, one in enumerate(matches, 1) if has(one, at)] for at in range(len(TEXT))]
    for look, sources in zip(looks(of(matches, shown)), having, strict=True):
        first = next((number for number in sources if number in shown), 0)
        if first > 1:
            assert look == f"source source-{first - 1}"
        elif not first and sources:
            assert look == "off"
        elif not first:
            assert look not in {"same", "same_sound", "variant"}


@given(MATCHES)
def test_as_many_characters_are_marked_as_the_share_counts(matches: list[Match]) -> None:
    marks = of(matches, {1, 2, 3})
    counted = sum(len(one.piece.text) for one in marks if one.piece.sources)
    assert counted == copied_length(chain.from_iterable(one.passages for one in matches), Side.PAGE)
    own = sum(len(one.piece.text) for one in marks if 1 in one.piece.sources)
    assert own == copied_length(matches[0].passages, Side.PAGE)


def test_inside_a_gap_nothing_counts_as_the_same_on_either_side() -> None:
    one = replace(PLAIN, page_start=0, page_end=20, work_start=0, work_end=20, page_gaps=((5, 9),), work_gaps=((6, 8),))
    for sides in (edit_spans(TEXT, TEXT, [(1, one)]), passage_spans([(1, one)])):
        for spans, gap in ((sides.page, (5, 9)), (sides.work, (6, 8))):
            assert [(span.start, span.end) for span in spans if span.kind == "gap"] == [gap]
            assert sum(span.end - span.start for span in spans) == 20


def test_a_gap_that_another_source_fills_has_that_source_s_look() -> None:
    host = match(passages=(replace(PLAIN, page_start=0, page_end=30, work_end=30, page_gaps=((10, 20),)),))
    guest = match(passages=(replace(PLAIN, page_start=10, page_end=18),))
    marks = of([host, guest], {1, 2})
    assert looks(marks) == ["same"] * 10 + ["source source-1"] * 8 + ["gap"] * 2 + ["same"] * 10 + ["ignored"] * 10
    assert [one.piece.text for one in marks if one.heads == 2] == [TEXT[10:18]]
    assert looks(of([host, guest], {2}))[:20] == ["off"] * 10 + ["source source-1"] * 8 + ["ignored"] * 2


def test_common_property_is_told_from_what_was_not_shared_at_all() -> None:
    common = CommonPassage(
        passage=replace(PLAIN, page_start=0, page_end=8, work_start=3, work_end=11), reason=CommonReason.FORM
    )
    found = match(passages=(replace(PLAIN, page_start=6, page_end=12, work_start=6, work_end=12),), common=(common,))
    assert looks(of([found], {1}))[:14] == ["common first"] * 6 + ["same"] * 6 + ["ignored"] * 2
    assert common_work_spans(found) == [Span(0, 3, 11, "form")]


@given(st.lists(st.integers(0, len(TEXT)), max_size=5).map(sorted), st.integers(0, 30))
def test_what_was_not_matched_stands_where_it_stood(places: list[int], end: int) -> None:
    beside = [DroppedText(at, f"<{n}>", DropReason.ADVERT) for n, at in enumerate(places)]
    found = list(add_unmatched(cut_pieces(TEXT, [Span(1, 0, end, "same")]), beside))
    expected, at = "", 0
    for n, place in enumerate(places):
        expected += TEXT[at:place] + f"<{n}>"
        at = place
    assert "".join(piece.text for piece in found) == expected + TEXT[at:]
    assert "".join(piece.text for piece in found if not piece.unmatched) == TEXT
    assert [piece.begins for piece in found if piece.begins] == [(1,)]


def test_what_was_not_matched_inside_a_part_that_is_not_shown_is_shown_beside_it() -> None:
    cut = [Piece("前", left_out=100), Piece("后")]
    found = list(add_unmatched(cut, [DroppedText(50, "广告", DropReason.ADVERT, inside=True)]))
    assert [(piece.text, piece.left_out, piece.unmatched) for piece in found] == [
        ("前", 100, ""),
        ("广告", 0, "line"),
        ("后", 0, ""),
    ]


@given(passages())
def test_a_passage_shown_by_itself_has_the_same_gaps_as_in_its_text(passage: Passage) -> None:
    passage = replace(passage, work_start=passage.page_start, work_end=passage.page_end)
    inside = TEXT[passage.page_start : passage.page_end]
    page, _ = cut_passage_pair(passage, inside, inside)
    assert "".join(piece.text for piece in page) == inside
    shown = list(chain.from_iterable([piece.kind] * len(piece.text) for piece in page))
    gaps = set(chain.from_iterable(range(*gap) for gap in passage.page_gaps))
    assert [kind != EditKind.SAME for kind in shown] == [at + passage.page_start in gaps for at in range(len(shown))]
