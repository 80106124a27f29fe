"""The ruler shows what was copied where it lies, and none of it too small to be seen or outside the drawing."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.cases.side_by_side import MIN_BAND_WIDTH, RULER_WIDTH, ruler_bands, source_stretches
from matcher.model import Change, Passage
from tests.support.samples import match

PLACES = st.integers(-10, 2_000)


@given(PLACES, PLACES, st.integers(0, 1_000))
def test_a_band_lies_within_the_drawing_and_can_be_seen(start: int, end: int, length: int) -> None:
    start, end = sorted((start, end))
    passage = Passage(
        page_start=start, page_end=end, work_start=start, work_end=end, similarity=1, change=Change.VERBATIM
    )
    (band,) = ruler_bands([(1, passage)], length, length)
    for left, width in (*band.page, *band.work):
        assert left >= 0
        assert width >= MIN_BAND_WIDTH
        assert left + width <= RULER_WIDTH + 0.01


def test_a_band_lies_where_its_passage_does() -> None:
    passage = Passage(page_start=250, page_end=500, work_start=0, work_end=50, similarity=1, change=Change.LIGHT)
    (band,) = ruler_bands([(7, passage)], 1_000, 100)
    assert (band.number, band.page, band.work) == (7, ((250.0, 250.0),), ((0.0, 500.0),))
    assert band.between == "250,14 500,14 500,42 0,42"


GAPPED = Passage(
    page_start=100,
    page_end=500,
    work_start=0,
    work_end=300,
    similarity=1,
    change=Change.LIGHT,
    page_gaps=((200, 300), (400, 401)),
    work_gaps=((100, 200),),
)


def test_a_band_leaves_out_what_was_not_copied_unless_it_is_too_narrow_to_be_seen() -> None:
    (band,) = ruler_bands([(1, GAPPED)], 1_000, 1_000)
    assert band.page == ((100.0, 100.0), (300.0, 100.0), (401.0, 99.0))
    assert band.work == ((0.0, 100.0), (200.0, 100.0))
    (band,) = ruler_bands([(1, GAPPED)], 10_000, 1_000)
    assert band.page == ((10.0, 10.0), (30.0, 20.0))


def test_another_source_is_drawn_where_the_page_has_it() -> None:
    assert source_stretches(match(passages=(GAPPED,)), 1_000) == [(100.0, 100.0), (300.0, 100.0), (401.0, 99.0)]
