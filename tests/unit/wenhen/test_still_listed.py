"""What looks at a search engine's results amount to, and how many are taken in a day."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from wenhen.discovery.model import ListingState, PageListing, is_inconclusive, take_within_budget, update_listing

NOON = datetime(2026, 5, 1, 4, tzinfo=UTC)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.booleans())
def test_absent_since_is_the_first_look_in_vain_since_it_was_seen_last(looks: list[bool], found: bool) -> None:
    listing: PageListing | None = None
    found_at = NOON - timedelta(days=1) if found else None
    for day, listed in enumerate(looks):
        listing = update_listing(listing, 1, ("渡口",), NOON + timedelta(days=day), listed=listed, found_at=found_at)
    assert listing is not None
    seen = [day for day, listed in enumerate(looks) if listed]
    last = NOON + timedelta(days=seen[-1]) if seen else found_at
    assert listing.seen_at == last
    first_in_vain = NOON + timedelta(days=seen[-1] + 1 if seen else 0)
    assert listing.absent_since == (None if looks[-1] else first_in_vain)
    missing = ListingState.UNSEEN if last is None else ListingState.DELISTED
    assert listing.state is (ListingState.LISTED if looks[-1] else missing)


@given(st.lists(st.integers(), max_size=20), st.integers(0, 30), st.integers(0, 40))
def test_a_day_takes_the_longest_due_and_no_more_than_its_budget(due: list[int], most: int, asked: int) -> None:
    taken = take_within_budget(due, most=most, asked=asked)
    assert taken == due[: len(taken)]
    assert len(taken) + min(asked, most) <= most
    assert len(taken) == len(due) or len(taken) + asked >= most


def test_a_look_in_vain_says_nothing_where_an_engine_that_led_there_was_silent() -> None:
    assert is_inconclusive({"bing"}, found_by={"bing", "brave"})
    assert not is_inconclusive({"bing"}, found_by={"brave"})
    assert is_inconclusive({"bing"}, found_by=())
    assert not is_inconclusive((), found_by=())
