"""The ruler shows every passage where it lies, and none too small to be seen or outside the drawing."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.cases.ruler import LEAST, WIDTH, bands
from store.records import Change, Passage

PLACES = st.integers(-10, 2_000)


@given(PLACES, PLACES, st.integers(0, 1_000))
def test_a_band_lies_within_the_drawing_and_can_be_seen(start: int, end: int, length: int) -> None:
    start, end = sorted((start, end))
    passage = Passage(
        page_start=start, page_end=end, work_start=start, work_end=end, similarity=1, change=Change.VERBATIM
    )
    (band,) = bands([(1, passage)], length, length)
    for left, width in (band.page, band.work):
        assert left >= 0
        assert width >= LEAST
        assert left + width <= WIDTH + 0.01


def test_a_band_lies_where_its_passage_does() -> None:
    passage = Passage(page_start=250, page_end=500, work_start=0, work_end=50, similarity=1, change=Change.LIGHT)
    (band,) = bands([(7, passage)], 1_000, 100)
    assert (band.number, band.page, band.work) == (7, (250.0, 250.0), (0.0, 500.0))
