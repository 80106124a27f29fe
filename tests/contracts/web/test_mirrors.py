"""Hosts that carry the same site are counted as one."""

from collections.abc import Mapping

import pytest

from tests.support.samples import NOON
from wenhen.context.store_and_queue import Store
from wenhen.sites.model import Mirror


def test_a_mirror_is_counted_as_its_main_host_until_it_is_parted(store: Store) -> None:
    store.mirrors.join("m.a.example", "www.a.example", pages=7, moment=NOON)
    assert store.mirrors.mains() == {"m.a.example": "www.a.example"}
    assert store.mirrors.all() == [Mirror(id="m.a.example", main="www.a.example", known_since=NOON, pages=7)]
    assert store.mirrors.part("m.a.example")
    assert not store.mirrors.part("m.a.example")
    assert store.mirrors.mains() == {}


def test_mirrors_of_mirrors_are_all_counted_as_one_host(store: Store) -> None:
    store.mirrors.join("b.example", "a.example", pages=5, moment=NOON)
    store.mirrors.join("d.example", "c.example", pages=5, moment=NOON)
    store.mirrors.join("c.example", "b.example", pages=6, moment=NOON)
    assert store.mirrors.mains() == dict.fromkeys(("b.example", "c.example", "d.example"), "a.example")
    store.mirrors.join("a.example", "d.example", pages=9, moment=NOON)
    assert store.mirrors.mains() == dict.fromkeys(("b.example", "c.example", "d.example"), "a.example")


@pytest.mark.parametrize(
    ("meanwhile", "afterwards"),
    [
        (("b.test", "c.test"), {"a.test": "c.test", "b.test": "c.test"}),  # what a is counted as becomes a mirror
        (("b.test", "a.test"), {"a.test": "b.test"}),  # each is found to be the other's
    ],
)
def test_hosts_that_two_crawls_join_at_once_are_counted_as_one_that_is_no_mirror(
    store: Store, monkeypatch: pytest.MonkeyPatch, meanwhile: tuple[str, str], afterwards: dict[str, str]
) -> None:
    known = store.mirrors.mains

    def joined_after() -> Mapping[str, str]:
        monkeypatch.undo()
        found = known()
        store.mirrors.join(*meanwhile, pages=3, moment=NOON)
        return found

    monkeypatch.setattr(store.mirrors, "mains", joined_after)
    store.mirrors.join("a.test", "b.test", pages=3, moment=NOON)
    assert store.mirrors.mains() == afterwards
