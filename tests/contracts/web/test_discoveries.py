"""The review list keeps what searches found, each address once for a work, and what people decided."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tests.support.samples import NOON, at_once
from wenhen.context.store_and_queue import Store
from wenhen.discovery.model import Discovery, DiscoveryStatus, PageListing
from wenhen.kit.errors import NotFound


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
    store.discoveries.decide(["d2"], DiscoveryStatus.REFUSED, moment=NOON)
    assert [one.id for one in store.discoveries.find()] == ["d3", "d2", "d1"]
    assert [one.id for one in store.discoveries.find(limit=1)] == ["d3"]
    assert [one.id for one in store.discoveries.find(work_id="w1")] == ["d2", "d1"]
    assert [one.id for one in store.discoveries.find(status=DiscoveryStatus.PENDING)] == ["d3", "d1"]


def test_an_address_leads_to_the_page_that_it_redirects_to_also_where_that_moves_on(store: Store) -> None:
    for one in (discovery(1), discovery(2, work_id="w2", url="http://pirate.example/1"), discovery(3)):
        store.discoveries.add(one)
    store.discoveries.note_leads_to(
        {"http://pirate.example/a": ["http://pirate.example/1"], "http://pirate.example/z": ["/x"]}
    )
    assert [one.leads_to for one in store.discoveries.find()] == [None, *["http://pirate.example/a"] * 2]
    store.discoveries.note_leads_to({"http://pirate.example/b": ["http://pirate.example/a"]})
    assert [one.leads_to for one in store.discoveries.find()] == [None, *["http://pirate.example/b"] * 2]


def test_a_decision_stands_when_the_address_is_found_again(store: Store) -> None:
    store.discoveries.add(discovery())
    [decided] = store.discoveries.decide(["d1"], DiscoveryStatus.REFUSED, moment=NOON)
    assert (decided.status, decided.decided_at) == (DiscoveryStatus.REFUSED, NOON)
    assert not store.discoveries.add(discovery())
    assert store.discoveries.find() == [decided]


def test_those_accepted_together_are_one_batch(store: Store) -> None:
    for number in (1, 2, 3):
        store.discoveries.add(discovery(number))
    store.discoveries.decide(["d3", "d1"], DiscoveryStatus.ACCEPTED, moment=NOON, batch="b")
    assert [one.id for one in store.discoveries.of_batch("b")] == ["d1", "d3"]
    assert store.discoveries.of_batch("c") == []


def test_nothing_is_decided_when_one_of_them_is_not_there(store: Store) -> None:
    store.discoveries.add(discovery())
    with pytest.raises(NotFound, match="d9"):
        store.discoveries.decide(["d1", "d9"], DiscoveryStatus.REFUSED, moment=NOON)
    assert store.discoveries.find()[0].status is DiscoveryStatus.PENDING


def test_accepted_addresses_are_due_the_longest_first_until_they_are_looked_up_or_put_off(store: Store) -> None:
    for one in (*map(discovery, range(1, 5)), discovery(5, engine="brave")):
        store.discoveries.add(one)
    store.discoveries.decide([f"d{number}" for number in (1, 2, 3, 5)], DiscoveryStatus.ACCEPTED, moment=NOON)

    def due(hours: int) -> list[str]:
        return [one.id for one in store.discoveries.due("searxng", NOON + timedelta(hours=hours), limit=9)]

    assert sorted(due(0)) == ["d1", "d2", "d3"], "neither refused nor waiting, nor another engine's"
    store.discoveries.put_off(["d1", "d2"], NOON + timedelta(hours=2))
    assert due(1) == ["d3"]
    looked = replace(
        next(one for one in store.discoveries.find() if one.id == "d3"),
        found_by=("bing",),
        listing=PageListing(case=7, looked_at=NOON, asked=("檐下的雨落了一夜",), seen_at=NOON),
        asked_at=NOON,
        look_at=NOON + timedelta(hours=1),
    )
    store.discoveries.note_look(looked)
    assert store.discoveries.of_case(7) == [looked]
    assert due(2)[0] == "d3"
    assert len(due(2)) == 3
    assert [store.discoveries.asked_since(NOON + timedelta(hours=hours)) for hours in (-1, 0)] == [1, 0]
    assert not store.discoveries.add(discovery(3, sentences=("石阶上积着薄薄的水",)))
    assert store.discoveries.of_case(7)[0].listing == looked.listing
