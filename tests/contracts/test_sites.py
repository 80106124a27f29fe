"""Watched sites are crawled once when they are due."""

from datetime import timedelta
from functools import partial

import pytest

from store.errors import NotFound
from store.ports import Store
from tests.contracts.samples import NOON, at_once, site


def test_a_site_comes_back_whole_and_can_be_changed_and_removed(store: Store) -> None:
    store.sites.put(site(internal=True, interval_hours=0.5))
    assert store.sites.get("s1") == site(internal=True, interval_hours=0.5)
    store.sites.put(site(name="改名"))
    assert store.sites.all() == [site(name="改名")]
    store.sites.remove("s1")
    for gone in (store.sites.get, store.sites.remove):
        with pytest.raises(NotFound, match="s1"):
            gone("s1")


def test_sites_are_listed_in_the_order_of_their_coming(store: Store) -> None:
    store.sites.put(site("a", added_at=NOON + timedelta(hours=1)))
    store.sites.put(site("b"))
    assert [one.id for one in store.sites.all()] == ["b", "a"]


def test_a_site_that_is_due_is_given_out_once_and_moved_on_by_its_interval(store: Store) -> None:
    store.sites.put(site("due", interval_hours=1.5))
    store.sites.put(site("later", due=NOON + timedelta(minutes=1)))
    claimed = store.sites.claim_due(NOON)
    assert [(one.id, one.due) for one in claimed] == [("due", NOON + timedelta(minutes=90))]
    assert store.sites.get("due") == claimed[0]
    assert store.sites.claim_due(NOON) == []


def test_a_site_is_crawled_once_after_a_long_standstill(store: Store) -> None:
    store.sites.put(site(interval_hours=24))
    assert len(store.sites.claim_due(NOON + timedelta(days=9))) == 1
    assert store.sites.claim_due(NOON + timedelta(days=9, hours=23)) == []


def test_of_many_schedulers_at_once_one_gets_each_site(store: Store) -> None:
    for number in range(5):
        store.sites.put(site(f"s{number}"))
    claimed = at_once(*[partial(store.sites.claim_due, NOON)] * 8)
    assert sorted(one.id for some in claimed for one in some) == [f"s{number}" for number in range(5)]


def test_a_site_keeps_its_last_run(store: Store) -> None:
    store.sites.put(site())
    store.sites.set_last_run("s1", "r1")
    assert store.sites.get("s1").last_run_id == "r1"
