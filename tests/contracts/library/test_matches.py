"""Matches are kept by page and work."""

import pytest

from tests.support.samples import match
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import NotFound
from wenhen.kit.progress import Owner


def test_a_match_comes_back_whole_and_the_newer_takes_its_place(store: Store) -> None:
    store.matches.put(match())
    assert store.matches.get("p1:w1") == match()
    store.matches.put(match(similarity=0.5, passages=()))
    assert store.matches.get("p1:w1") == match(similarity=0.5, passages=())


def test_matches_put_together_take_the_place_of_those_that_are_there_whether_that_is_known_or_not(store: Store) -> None:
    store.matches.put_all([match("p1"), match("p2")])
    newer = [match(page, similarity=0.5) for page in ("p1", "p2", "p3", "p4")]
    store.matches.put_all(newer, there=["p1:w1", "p4:w1"])
    assert [store.matches.get(one.id) for one in newer] == newer


def test_matches_are_found_by_page_and_by_work_the_best_first(store: Store) -> None:
    for page, work, score in [("p1", "w1", 0.2), ("p1", "w2", 0.9), ("p2", "w1", 0.5)]:
        store.matches.put(match(page, work, score=score))
    assert [one.id for one in store.matches.of_copy(Owner.of_page("p1"))] == ["p1:w2", "p1:w1"]
    assert [one.id for one in store.matches.of_work("w1")] == ["p2:w1", "p1:w1"]


def test_the_copies_of_works_and_the_versions_of_matches_are_told_without_their_passages(store: Store) -> None:
    for page, work in [("p1", "w1"), ("p1", "w2"), ("p2", "w1"), ("p3", "w3")]:
        store.matches.put(match(page, work, page_version=2))
    assert store.matches.copies_of(["w1", "w2", "w9"]) == {Owner.of_page("p1"), Owner.of_page("p2")}
    assert store.matches.versions(["p1:w1", "p9:w9"]) == {"p1:w1": (2, match().work_version)}


def test_removed_matches_are_gone_and_the_others_stay(store: Store) -> None:
    store.matches.put(match())
    store.matches.put(match("p2"))
    store.matches.remove(["p1:w1", "p9:w9"])
    store.matches.remove([])
    with pytest.raises(NotFound, match="p1:w1"):
        store.matches.get("p1:w1")
    assert store.matches.get("p2:w1") == match("p2")
