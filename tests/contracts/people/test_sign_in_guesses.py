"""Guesses are counted one by one, however many come at once, and wait as the rule says."""

from datetime import timedelta
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.samples import NOON, at_once
from wenhen.accounts.model import GUESSES_FORGOTTEN_AFTER, LoginBackoff
from wenhen.context.store_and_queue import Store

SLOWING = LoginBackoff(3, timedelta(seconds=5))
KEY = "password of 沈 from 198.51.100.7"


def waits(store: Store, seconds: float, key: str = KEY) -> float:
    return store.guesses.count(key, "$沈", NOON + timedelta(seconds=seconds), SLOWING).total_seconds()


def test_of_thirty_guesses_at_once_only_those_that_are_free_are_looked_at_and_all_are_counted(store: Store) -> None:
    answers = at_once(*[partial(waits, store, 0)] * 30)
    assert answers.count(0) == 3
    assert waits(store, 1) == 0
    assert waits(store, 1.5) == 4.5  # what comes next waits as after thirty


@pytest.mark.parametrize("forget", [lambda store: store.guesses.forget(KEY), lambda s: s.guesses.forget_all("$沈")])
def test_what_is_forgotten_begins_anew(store: Store, forget: partial[None]) -> None:
    for _ in range(4):
        waits(store, 0)
    waits(store, 0, "another")
    forget(store)
    assert waits(store, 0) == 0


def test_what_was_no_guess_is_taken_back_and_what_is_long_ago_counts_no_more(store: Store) -> None:
    for _ in range(9):
        assert waits(store, 0) == 0
        store.guesses.take_back(KEY)
    for _ in range(4):
        waits(store, 0)
    assert waits(store, 2 * GUESSES_FORGOTTEN_AFTER.total_seconds()) == 0
    assert waits(store, 2 * GUESSES_FORGOTTEN_AFTER.total_seconds()) == 0


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 8), min_size=1, max_size=12))
def test_every_guess_waits_as_the_rule_says(store: Store, after: list[int]) -> None:
    store.guesses.forget(KEY)
    now, next_at = 0, 0.0
    for guesses, seconds in enumerate(after, 1):
        now += seconds
        assert waits(store, now) == max(next_at - now, 0)
        if now >= next_at:
            next_at = now + SLOWING.pause(guesses).total_seconds()
