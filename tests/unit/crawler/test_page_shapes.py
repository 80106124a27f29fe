"""The shapes of pages, each to its text; no rule knows any of them."""

import pytest

from crawler.extraction.page import extract_html
from tests.support.pages import line_link_shapes, newer_shapes, unusual_shapes  # noqa: F401  their shapes are noted as they come
from tests.support.pages.page_shapes import SHAPES


@pytest.mark.parametrize("name", SHAPES)
def test_a_page_of_any_shape_gives_its_text_in_order_and_nothing_of_what_stands_around_it(name: str) -> None:
    shape = SHAPES[name]()
    text = extract_html(shape.html.encode(), [], "http://a.test/1.html").text
    places = ["".join(text.split()).find("".join(line.split())) for line in shape.wanted]
    assert -1 not in places
    assert places == sorted(places)
    assert [words for words in shape.unwanted if words in text] == []
    if not shape.wanted:
        assert len(text) < 30
