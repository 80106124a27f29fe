"""When two hosts carry the same site."""

from wenhen.sites.model import count_equal_pages


def test_many_equal_pages_at_equal_paths_make_mirrors_and_a_few_or_many_different_ones_do_not() -> None:
    assert count_equal_pages([("a", "a")] * 5) == 5
    assert count_equal_pages([("a", "a")] * 4) == 0
    assert count_equal_pages([("a", "a")] * 8 + [("a", "b")] * 2) == 8
    assert count_equal_pages([("a", "a")] * 7 + [("a", "b")] * 3) == 0
    assert count_equal_pages([]) == 0
