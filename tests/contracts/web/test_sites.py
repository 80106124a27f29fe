"""Watched sites are crawled once when they are due."""

from datetime import timedelta
from functools import partial

import pytest

from tests.support.samples import NOON, at_once, site
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import NotFound
from wenhen.sites.model import Layout


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


def test_sites_that_are_due_are_told_but_for_those_that_are_paused(store: Store) -> None:
    store.sites.put(site("later", due=NOON + timedelta(minutes=1)))
    store.sites.put(site("due"))
    store.sites.put(site("overdue", due=NOON - timedelta(days=9)))
    store.sites.put(site("paused", paused=True))
    assert [one.id for one in store.sites.due(NOON)] == ["overdue", "due"]


def test_of_many_clocks_at_once_one_moves_a_due_time_on(store: Store) -> None:
    store.sites.put(site())
    moved = at_once(*[partial(store.sites.move_due, "s1", NOON, NOON + timedelta(hours=2))] * 8)
    assert sorted(moved) == [False] * 7 + [True]
    assert store.sites.get("s1").due == NOON + timedelta(hours=2)


def test_a_change_leaves_alone_what_it_does_not_name(store: Store) -> None:
    store.sites.put(site())
    store.sites.move_due("s1", NOON, NOON + timedelta(hours=2))
    changed = store.sites.change("s1", {"tags": ("小说",), "layout": Layout.HOST, "cron": "30 3 * * *"})
    assert changed == store.sites.get("s1")
    assert changed == site(tags=("小说",), layout=Layout.HOST, cron="30 3 * * *", due=NOON + timedelta(hours=2))
    with pytest.raises(NotFound, match="s9"):
        store.sites.change("s9", {"notes": "x"})


def test_a_site_keeps_its_last_run(store: Store) -> None:
    store.sites.put(site())
    store.sites.set_last_run("s1", "r1")
    assert store.sites.get("s1").last_run_id == "r1"
