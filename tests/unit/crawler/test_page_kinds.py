"""Pages of the kinds that sites are made of: how near what is extracted comes to their main text."""

import pytest

from crawler.extraction.page import extract_html
from tests.support.pages.kinds import (  # noqa: F401  their pages are noted
    blogs,
    communities,
    institutions,
    manuals,
    page_ends,
    portals,
    shelves,
    unknown_forums,
    works_of_reference,
)
from tests.support.pages.kinds.kind import KINDS

LEAST = 0.95  # F1


@pytest.mark.parametrize("name", KINDS)
def test_of_a_page_of_any_kind_nearly_all_of_the_text_is_extracted_and_nearly_nothing_else(name: str) -> None:
    page = KINDS[name]
    text = extract_html(page.html.encode(), [], "http://a.test/1.html").text
    assert page.f1(text) >= LEAST, text
