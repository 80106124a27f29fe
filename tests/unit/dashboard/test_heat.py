"""The heat strip covers the work once, and a page counts once a part."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.works.views import MAX_HEAT_STRETCHES, heat_strip

SPANS = st.lists(st.tuples(st.integers(-10, 900), st.integers(-10, 900)), max_size=5)


@given(st.integers(1, 800), st.lists(SPANS, max_size=5))
def test_the_parts_lie_end_to_end_and_count_the_pages_that_touch_them(
    length: int, pages: list[list[tuple[int, int]]]
) -> None:
    parts = heat_strip(length, pages)
    assert len(parts) == min(MAX_HEAT_STRETCHES, length)
    assert [part.start for part in parts] == [0, *(part.end for part in parts[:-1])]
    assert parts[-1].end == length
    for part in parts:
        points = set(range(part.start, part.end))
        assert part.pages == sum(any(points & set(range(*span)) for span in spans) for spans in pages)


def test_an_empty_work_has_no_parts() -> None:
    assert heat_strip(0, [[(0, 5)]]) == []
