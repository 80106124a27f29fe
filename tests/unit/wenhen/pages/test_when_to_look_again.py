"""Pages that change are looked at more often, within bounds; the others less and less."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.support.oracles import is_look_due
from tests.support.samples import NOON, page
from wenhen.pages.rules import MAX_LOOK_HOURS, MIN_LOOK_HOURS, first_look, next_look

hours = st.floats(0, 2 * MAX_LOOK_HOURS)


@given(hours, st.lists(st.booleans(), max_size=30))
def test_the_next_look_is_never_sooner_than_an_hour_nor_later_than_a_fortnight(
    first: float, changes: list[bool]
) -> None:
    look = first_look(NOON, first)
    for changed in changes:
        look = next_look(look.interval_hours, NOON, changed=changed)
    assert MIN_LOOK_HOURS <= look.interval_hours <= MAX_LOOK_HOURS
    assert look.look_at == NOON + timedelta(hours=look.interval_hours)


@given(st.floats(MIN_LOOK_HOURS, MAX_LOOK_HOURS))
def test_a_page_that_changed_is_looked_at_sooner_and_one_that_did_not_later(before: float) -> None:
    changed, same = (next_look(before, NOON, changed=one).interval_hours for one in (True, False))
    assert changed < before or before == MIN_LOOK_HOURS
    assert same > before or before == MAX_LOOK_HOURS


def test_a_page_is_due_from_its_time_on_unless_it_is_gone_or_its_site_looks_as_often() -> None:
    due = page(look_at=NOON, interval_hours=6.0)
    assert is_look_due(due, NOON)
    assert not is_look_due(due, NOON - timedelta(milliseconds=1))
    assert not is_look_due(page(look_at=NOON, gone_at=NOON), NOON)
    assert not is_look_due(page(look_at=None), NOON)
    assert [is_look_due(due, NOON, below=hours) for hours in (6.0, 6.5)] == [False, True]
