"""When two texts are near duplicates of each other."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from matcher.attribution.verdict import Verdict
from matcher.clusters import Member, is_within_window, may_be_near, similarity_of_shares
from matcher.model import Level
from wenhen.kit.progress import OwnerKind


def text(hours: int) -> Member:
    """One that was seen so many hours after the first."""
    seen = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(hours=hours)
    return Member(id=f"page:{hours}", kind=OwnerKind.PAGE, owner_id=f"{hours}", owner_version=1, dated=seen, seen=seen)


def test_only_texts_whose_dates_lie_within_the_window_belong_together() -> None:
    assert is_within_window(text(0), text(48), timedelta(days=2))
    assert is_within_window(text(48), text(0), timedelta(days=2))
    assert not is_within_window(text(0), text(49), timedelta(days=2))
    assert is_within_window(text(0), text(9999), None)


def test_likeness_is_the_lesser_share() -> None:
    verdict = Verdict(
        level=Level.LIGHT,
        reasons=(),
        score=1.0,
        weight=1.0,
        accuse=True,
        share_of_page=0.5,
        share_of_work=1.0,
        longest_run=1,
        similarity=0.8,
        same_characters=0.8,
        variants=0.0,
        same_sound=0.0,
    )
    assert similarity_of_shares(verdict) == 0.5


@given(st.integers(1, 5000), st.integers(1, 5000), st.floats(0.05, 1))
def test_a_text_that_is_hardly_part_of_another_is_not_compared_with_it(one: int, other: int, least: float) -> None:
    assert may_be_near(one, other, least) == may_be_near(other, one, least)
    assert may_be_near(one, one, least)
    assert not may_be_near(1, 1000, least)
