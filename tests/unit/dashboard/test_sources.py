"""What a page takes from several works together."""

from dataclasses import replace

from dashboard.cases.sources import sources
from tests.support.samples import case, match


def test_what_several_works_share_counts_once_and_the_largest_is_named() -> None:
    (passage,) = match().passages
    first = case(
        "p", "a", match=match("p", "a", passages=(replace(passage, page_start=0, page_end=40),), share_of_page=0.4)
    )
    second = case(
        "p", "b", match=match("p", "b", passages=(replace(passage, page_start=30, page_end=50),), share_of_page=0.2)
    )
    found = sources([second, first], 100)
    assert found == (2, 0.5, first)
    assert sources([], 100) is None
    assert sources([first], 0) is None
