"""A licence covers exactly the host, path, time and work that it names."""

from datetime import timedelta

import pytest

from tests.support.samples import NOON, licence
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import BadInput, NotFound

DAY = timedelta(days=1)


def test_licences_come_back_whole_and_can_be_changed_and_removed(store: Store) -> None:
    store.licences.put(licence("l2", valid_from=NOON))
    store.licences.put(licence("l1", licensee="旧"))
    store.licences.put(licence("l1"))
    assert store.licences.all() == [licence("l1"), licence("l2", valid_from=NOON)]
    store.licences.remove("l1")
    with pytest.raises(NotFound, match="l1"):
        store.licences.remove("l1")
    assert store.licences.all() == [licence("l2", valid_from=NOON)]


@pytest.mark.parametrize("prefix", ["", "/only/path", "http://", "[::1", "paper.example:port"])
def test_an_address_without_a_host_is_refused(store: Store, prefix: str) -> None:
    with pytest.raises(BadInput, match="host/path"):
        store.licences.put(licence(url_prefix=prefix))


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("paper.example", "https://paper.example/a?b=1#c"),
        ("Paper.Example.", "http://PAPER.example"),
        ("https://paper.example/", "http://paper.example/x"),
        ("paper.example/novels", "http://paper.example/novels/1.html"),
        ("paper.example/novels/", "http://paper.example/novels"),
        ("paper.example/小说", "http://paper.example/%E5%B0%8F%E8%AF%B4/1"),
        ("晨报.example", "http://xn--4ruq7f.example/1"),
        ("paper.example", "http://paper.example:8080/1"),
        ("paper.example:8080/a", "http://paper.example:8080/a/1"),
        ("paper.example:443", "https://paper.example/1"),
        ("paper.example", "http://www.paper.example/1"),
        ("www.paper.example", "http://paper.example/1"),
    ],
)
def test_what_a_licence_covers(store: Store, prefix: str, url: str) -> None:
    store.licences.put(licence(url_prefix=prefix))
    found = store.licences.find_covering(url, "w1", NOON)
    assert found is not None
    assert found.id == "l1"


@pytest.mark.parametrize(
    ("prefix", "url"),
    [
        ("paper.example", "http://m.paper.example/1"),
        ("www.paper.example", "http://www.www.paper.example/1"),
        ("paper.example", "http://paper.example.evil.test/1"),
        ("paper.example", "http://evil.test/paper.example"),
        ("paper.example", "http://paper.example@evil.test/"),
        ("paper.example/novel", "http://paper.example/novels/1"),
        ("paper.example/novel", "http://paper.example/"),
        ("paper.example:8080", "http://paper.example/1"),
    ],
)
def test_what_a_licence_does_not_cover(store: Store, prefix: str, url: str) -> None:
    store.licences.put(licence(url_prefix=prefix))
    assert store.licences.find_covering(url, "w1", NOON) is None


def test_a_licence_for_one_work_covers_no_other(store: Store) -> None:
    store.licences.put(licence(work_id="w1"))
    assert store.licences.find_covering("http://paper.example/1", "w1", NOON)
    assert store.licences.find_covering("http://paper.example/1", "w2", NOON) is None


def test_each_of_several_addresses_has_the_licence_that_it_has_alone(store: Store) -> None:
    store.licences.put(licence("one", work_id="w1"))
    store.licences.put(licence("all", url_prefix="other.example"))
    asked = [
        (url, work, NOON)
        for url in ("http://paper.example/1", "http://other.example/2", "http://none.example/")
        for work in ("w1", "w2")
    ]
    together = store.licences.find_covering_all(asked)
    assert together == [store.licences.find_covering(*one) for one in asked]
    assert [one and one.id for one in together] == ["one", None, "all", "all", None, None]
    assert store.licences.find_covering_all([]) == []


def test_a_licence_holds_from_its_first_moment_to_its_last(store: Store) -> None:
    store.licences.put(licence(valid_from=NOON, valid_until=NOON + DAY))
    held = [
        bool(store.licences.find_covering("http://paper.example/1", "w1", NOON + DAY * n)) for n in (-0.01, 0, 1, 1.01)
    ]
    assert held == [False, True, True, False]


def test_the_licence_for_this_very_work_comes_before_a_general_one(store: Store) -> None:
    store.licences.put(licence("general", url_prefix="paper.example/long/path"))
    store.licences.put(licence("exact", work_id="w1"))
    found = store.licences.find_covering("http://paper.example/long/path/1", "w1", NOON)
    assert found is not None
    assert found.id == "exact"
