"""Marks outlive Redis, and a duty is claimed once a period."""

from datetime import timedelta
from functools import partial

from tests.support.samples import NOON, at_once
from wenhen.context.store_and_queue import Store

DAY = timedelta(days=1)


def test_a_mark_is_set_changed_and_read(store: Store) -> None:
    assert store.marks.get("works index") is None
    store.marks.set("works index", {"generation": 1, "at": NOON, "sizes": [1, 2]})
    assert store.marks.get("works index") == {"generation": 1, "at": NOON, "sizes": [1, 2]}
    store.marks.set("works index", {"generation": 2})
    assert store.marks.get("works index") == {"generation": 2}


def test_a_duty_is_claimed_once_a_period(store: Store) -> None:
    claims = [store.marks.claim("daily", NOON + DAY * days, DAY) for days in (0, 0.5, 1, 1.99, 5, 5.5)]
    assert claims == [True, False, True, False, True, False]
    assert store.marks.claim("other", NOON, DAY)


def test_of_many_schedulers_at_once_one_gets_the_duty(store: Store) -> None:
    for day in range(3):
        assert at_once(*[partial(store.marks.claim, "daily", NOON + DAY * day, DAY)] * 8).count(True) == 1


def test_a_name_may_be_a_mark_and_a_duty(store: Store) -> None:
    store.marks.set("daily", {"last": "ok"})
    assert store.marks.claim("daily", NOON, DAY)
    store.marks.set("daily", {"last": "failed"})
    assert not store.marks.claim("daily", NOON, DAY)
    assert store.marks.get("daily") == {"last": "failed"}


def test_marks_set_at_once_leave_one_of_them(store: Store) -> None:
    at_once(*[partial(store.marks.set, "m", {"n": n}) for n in range(8)])
    mark = store.marks.get("m")
    assert mark is not None
    assert mark["n"] in range(8)


def test_what_was_claimed_and_let_go_of_can_be_had_again(store: Store) -> None:
    assert store.marks.claim("duty", NOON, DAY)
    assert not store.marks.claim("duty", NOON, DAY)
    store.marks.release("duty")
    store.marks.release("another")
    assert store.marks.claim("duty", NOON, DAY)
