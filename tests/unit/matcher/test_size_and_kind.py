"""What sizes and kinds say before two texts are compared."""

from hypothesis import given
from hypothesis import strategies as st

from matcher.retrieval.candidates import CandidateFilter

LENGTHS = st.integers(1, 10_000)
KINDS = st.sampled_from([None, "news", "novel"])


@given(LENGTHS, KINDS, LENGTHS, KINDS)
def test_nothing_is_narrowed_unless_it_is_asked_for(one: int, kind: str | None, other: int, its: str | None) -> None:
    assert not CandidateFilter()
    assert CandidateFilter().allows(one, kind, other, its)


@given(LENGTHS, KINDS, LENGTHS, KINDS, st.floats(1, 50), st.booleans())
def test_it_is_the_same_from_either_side_and_a_text_is_like_itself(
    one: int, kind: str | None, other: int, its: str | None, within: float, same: bool
) -> None:
    narrowing = CandidateFilter(within, same)
    assert narrowing
    assert narrowing.allows(one, kind, other, its) == narrowing.allows(other, its, one, kind)
    assert narrowing.allows(one, kind, one, kind)


def test_sizes_may_differ_by_the_factor_and_no_more() -> None:
    assert CandidateFilter(size_within=4).allows(100, None, 400, None)
    assert not CandidateFilter(size_within=4).allows(100, None, 401, None)


def test_kinds_count_where_both_are_known() -> None:
    narrowing = CandidateFilter(same_kind=True)
    assert not narrowing.allows(1, "news", 1, "novel")
    assert narrowing.allows(1, "news", 1, "news")
    assert narrowing.allows(1, None, 1, "novel")
    assert narrowing.allows(1, "news", 1, None)
