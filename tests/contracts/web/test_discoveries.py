"""The review list keeps what searches found, each address once for a work, and what people decided."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from store.errors import NotFound
from store.ports import Store
from store.records import Discovery, DiscoveryStatus
from tests.support.samples import NOON, at_once


def discovery(number: int = 1, **values: Any) -> Discovery:
    return Discovery(
        **{
            "id": f"d{number}",
            "work_id": "w1",
            "url": f"http://pirate.example/{number}",
            "title": "转载",
            "sentences": ("檐下的雨落了一夜",),
            "engine": "searxng",
            "found_at": NOON + timedelta(minutes=number),
            **values,
        }
    )


def test_an_address_is_new_once_and_gathers_the_sentences_that_find_it(store: Store) -> None:
    assert store.discoveries.add(discovery())
    assert not store.discoveries.add(discovery(sentences=("石阶上积着薄薄的水",)))
    assert not store.discoveries.add(discovery())
    [kept] = store.discoveries.find()
    assert kept == discovery(sentences=("檐下的雨落了一夜", "石阶上积着薄薄的水"))


def test_an_address_added_by_many_at_once_is_new_once(store: Store) -> None:
    assert at_once(*[partial(store.discoveries.add, discovery())] * 8).count(True) == 1


def test_the_list_is_by_work_and_status_the_last_found_first(store: Store) -> None:
    for one in (discovery(1), discovery(2), discovery(3, work_id="w2")):
        store.discoveries.add(one)
    store.discoveries.decide(["d2"], DiscoveryStatus.REFUSED, at=NOON)
    assert [one.id for one in store.discoveries.find()] == ["d3", "d2", "d1"]
    assert [one.id for one in store.discoveries.find(limit=1)] == ["d3"]
    assert [one.id for one in store.discoveries.find(work_id="w1")] == ["d2", "d1"]
    assert [one.id for one in store.discoveries.find(status=DiscoveryStatus.PENDING)] == ["d3", "d1"]


def test_a_decision_stands_when_the_address_is_found_again(store: Store) -> None:
    store.discoveries.add(discovery())
    [decided] = store.discoveries.decide(["d1"], DiscoveryStatus.REFUSED, at=NOON)
    assert (decided.status, decided.decided_at) == (DiscoveryStatus.REFUSED, NOON)
    assert not store.discoveries.add(discovery())
    assert store.discoveries.find() == [decided]


def test_those_accepted_together_are_one_batch(store: Store) -> None:
    for number in (1, 2, 3):
        store.discoveries.add(discovery(number))
    store.discoveries.decide(["d3", "d1"], DiscoveryStatus.ACCEPTED, at=NOON, batch="b")
    assert [one.id for one in store.discoveries.of_batch("b")] == ["d1", "d3"]
    assert store.discoveries.of_batch("c") == []


def test_nothing_is_decided_when_one_of_them_is_not_there(store: Store) -> None:
    store.discoveries.add(discovery())
    with pytest.raises(NotFound, match="d9"):
        store.discoveries.decide(["d1", "d9"], DiscoveryStatus.REFUSED, at=NOON)
    assert store.discoveries.find()[0].status is DiscoveryStatus.PENDING
