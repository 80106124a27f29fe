"""Fingerprints: numbers are given out once, and an owner is never without its fingerprints while they are replaced."""

from functools import partial

import pytest

from tests.support.samples import TEXT, at_once, digest, draft, fingerprint
from wenhen.context.store_and_queue import Store
from wenhen.fingerprints.model import Fingerprint
from wenhen.fingerprints.repository import MAX_JOINED_TEXT_CHARACTERS
from wenhen.kit.errors import Conflict
from wenhen.kit.progress import OwnerKind, Step

WORK, PAGE = OwnerKind.WORK, OwnerKind.PAGE


def numbers(fingerprints: list[Fingerprint]) -> list[int]:
    return [one.number for one in fingerprints]


def test_numbers_are_never_given_out_twice_on_one_side(store: Store) -> None:
    ranges = at_once(*[partial(store.fingerprints.numbers, WORK, count) for count in range(1, 13)])
    assert [len(one) for one in ranges] == list(range(1, 13))
    assert sorted(number for one in ranges for number in one) == list(range(sum(range(1, 13))))
    assert store.fingerprints.numbers(PAGE, 2) == range(2)
    assert store.fingerprints.numbers(PAGE, 0) == range(0)
    assert store.fingerprints.numbers(PAGE, 1) == range(2, 3)
    assert (store.fingerprints.count_reserved(WORK), store.fingerprints.count_reserved(PAGE)) == (78, 3)


def test_fingerprints_come_back_whole_in_the_order_of_their_segments(store: Store) -> None:
    second, first = fingerprint(1, segment=1, start=600), fingerprint(0)
    store.fingerprints.replace(WORK, "w1", [second, first])
    assert store.fingerprints.of(WORK, "w1") == [first, second]
    kept = store.fingerprints.of(WORK, "w1")[0]
    assert (kept.positions, kept.values, kept.parameters) == (first.positions, first.values, first.parameters)
    assert store.fingerprints.of(PAGE, "w1") == []


def test_both_sides_may_use_the_same_numbers(store: Store) -> None:
    store.fingerprints.replace(WORK, "x", [fingerprint(0, "x")])
    store.fingerprints.replace(PAGE, "x", [fingerprint(0, "x", kind=PAGE)])
    assert (store.fingerprints.count(WORK), store.fingerprints.count(PAGE)) == (1, 1)
    assert [one.kind for one in store.fingerprints.all(PAGE)] == [PAGE]


def test_a_new_version_retires_the_old_one_until_it_is_forgotten(store: Store) -> None:
    store.fingerprints.replace(WORK, "w1", [fingerprint(0), fingerprint(1, segment=1)])
    store.fingerprints.replace(WORK, "w2", [fingerprint(2, "w2")])
    new = fingerprint(3, owner_version=2)
    store.fingerprints.replace(WORK, "w1", [new])
    assert store.fingerprints.of(WORK, "w1") == [new]
    retired = store.fingerprints.find_retired(WORK, 10)
    assert sorted(numbers(retired)) == [0, 1]
    assert all(one.retired and one.values for one in retired)
    assert len(store.fingerprints.find_retired(WORK, 1)) == 1
    assert store.fingerprints.find_retired(WORK, 10, ["w2"]) == []
    assert len(store.fingerprints.find_retired(WORK, 10, ["w1"])) == 2
    assert store.fingerprints.count(WORK) == 2
    store.fingerprints.forget(WORK, [*numbers(retired), new.number])
    assert store.fingerprints.find_retired(WORK, 10) == []
    assert store.fingerprints.of(WORK, "w1") == [new]


def test_the_same_version_fingerprinted_anew_retires_its_old_numbers(store: Store) -> None:
    """The record ids are the same then; the old numbers must stay known until their postings are out of the index."""
    store.fingerprints.replace(WORK, "w1", [fingerprint(0)])
    store.fingerprints.replace(WORK, "w1", [fingerprint(1)])
    assert numbers(store.fingerprints.of(WORK, "w1")) == [1]
    assert numbers(store.fingerprints.find_retired(WORK, 10)) == [0]
    store.fingerprints.forget(WORK, [0, 1])
    assert numbers(store.fingerprints.of(WORK, "w1")) == [1]
    assert store.fingerprints.find_retired(WORK, 10) == []


def test_replacing_twice_with_the_same_is_once(store: Store) -> None:
    both = [fingerprint(0), fingerprint(1, segment=1)]
    for _ in range(2):
        store.fingerprints.replace(WORK, "w1", both)
    assert store.fingerprints.of(WORK, "w1") == both
    assert store.fingerprints.find_retired(WORK, 10) == []


def test_replacing_with_nothing_retires_all(store: Store) -> None:
    store.fingerprints.replace(WORK, "w1", [fingerprint(0)])
    store.fingerprints.replace(WORK, "w1", [])
    assert store.fingerprints.of(WORK, "w1") == []
    assert numbers(store.fingerprints.find_retired(WORK, 10)) == [0]


def test_a_late_writer_of_an_earlier_version_does_not_bring_it_back(store: Store) -> None:
    store.fingerprints.replace(WORK, "w1", [fingerprint(1, owner_version=2)])
    with pytest.raises(Conflict, match="version 1"):
        store.fingerprints.replace(WORK, "w1", [fingerprint(2, owner_version=1)])
    assert numbers(store.fingerprints.of(WORK, "w1")) == [1]
    assert numbers(store.fingerprints.find_retired(WORK, 10)) == [2]


def test_writers_of_one_owner_at_once_leave_the_fingerprints_of_the_last(store: Store) -> None:
    def replace(number: int) -> None:
        try:
            store.fingerprints.replace(WORK, "w1", [fingerprint(number), fingerprint(number + 1, segment=1)])
        except Conflict:
            return

    for turn in range(5):
        first = 100 * turn
        at_once(*[partial(replace, first + number) for number in range(0, 16, 2)])
        assert numbers(store.fingerprints.of(WORK, "w1")) == [first + 14, first + 15]
    assert store.fingerprints.count(WORK) == 2
    assert len(store.fingerprints.find_retired(WORK, 1000)) == 5 * 16 - 2


def test_an_owner_is_never_without_fingerprints_while_they_are_replaced(store: Store) -> None:
    store.fingerprints.replace(WORK, "w1", [fingerprint(0)])
    seen: list[int] = []

    def look() -> None:
        seen.extend(len(store.fingerprints.of(WORK, "w1")) for _ in range(200))

    def change() -> None:
        for version in range(2, 40):
            store.fingerprints.replace(WORK, "w1", [fingerprint(version, owner_version=version)])

    at_once(look, change)
    assert min(seen) >= 1


def test_owners_are_found_by_number_with_their_version(store: Store) -> None:
    store.fingerprints.replace(WORK, "w1", [fingerprint(0)])
    new = [fingerprint(1, owner_version=2), fingerprint(2, owner_version=2, segment=1)]
    store.fingerprints.replace(WORK, "w1", new)
    assert store.fingerprints.names(WORK, [0, 1, 2, 99]) == {1: ("w1", 2), 2: ("w1", 2)}
    assert store.fingerprints.names(WORK, []) == {}


def test_texts_of_works_are_found_by_number_but_those_of_removed_works(store: Store) -> None:
    for number, id in enumerate(("w1", "w2", "w3")):
        store.works.put_all([draft(id, text=TEXT + id)], note=None, step=Step.DONE)
        store.fingerprints.replace(WORK, id, [fingerprint(number, id)])
    store.fingerprints.replace(WORK, "w1", [fingerprint(3), fingerprint(4, segment=1)])
    store.works.remove("w2")
    first, third = ((digest(f"{TEXT}{id}"), len(TEXT) + 2) for id in ("w1", "w3"))
    assert store.fingerprints.work_texts([0, 1, 2, 3, 4, 99]) == {
        2: ("w3", 0, *third),
        3: ("w1", 0, *first),
        4: ("w1", 1, *first),
    }
    assert store.fingerprints.work_texts([]) == {}


def test_works_are_found_by_number_with_texts_that_are_short(store: Store) -> None:
    texts = {
        "w1": TEXT,
        "w2": TEXT * 2,
        "w3": "汉" * (MAX_JOINED_TEXT_CHARACTERS + 1),
        "w4": TEXT * 3,
        "w5": "Plain ASCII.",
    }
    for number, (id, text) in enumerate(texts.items()):
        store.works.put_all([draft(id, text=text)], note=None, step=Step.DONE)
        store.fingerprints.replace(WORK, id, [fingerprint(number, id)])
    store.fingerprints.replace(WORK, "w1", [fingerprint(5, owner_version=2), fingerprint(6, segment=1)])
    store.fingerprints.replace(WORK, "gone", [fingerprint(7, "gone")])
    store.works.remove("w4")
    found = store.fingerprints.works([0, 1, 2, 3, 4, 5, 6, 7, 99])
    works = store.works.many(list(texts))
    assert found == {
        1: (1, works["w2"], TEXT * 2),
        2: (1, works["w3"], None),
        3: (1, works["w4"], TEXT * 3),
        4: (1, works["w5"], "Plain ASCII."),
        5: (2, works["w1"], TEXT),
        6: (1, works["w1"], TEXT),
    }
    assert works["w4"].removed_at is not None
    assert store.fingerprints.works([]) == {}


def test_all_gives_every_live_fingerprint_in_the_order_of_its_number(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wenhen.fingerprints.repository.WRITE_BATCH_SIZE", 2)
    for number in [3, 0, 4, 1, 2]:
        store.fingerprints.replace(WORK, f"w{number}", [fingerprint(number, f"w{number}")])
    store.fingerprints.replace(WORK, "w1", [])
    store.fingerprints.replace(PAGE, "p1", [fingerprint(1, "p1", kind=PAGE)])
    assert [(one.number, one.owner_id) for one in store.fingerprints.all(WORK)] == [
        (0, "w0"),
        (2, "w2"),
        (3, "w3"),
        (4, "w4"),
    ]
    assert all(one.values for one in store.fingerprints.all(WORK))


def test_the_fingerprints_of_many_owners_are_replaced_together(store: Store) -> None:
    store.fingerprints.replace(WORK, "changed", [fingerprint(0, "changed"), fingerprint(1, "changed", segment=1)])
    store.fingerprints.replace(WORK, "beside", [fingerprint(2, "beside")])
    new = {
        "changed": [fingerprint(3, "changed", owner_version=2)],
        "first": [fingerprint(5, "first", segment=1, start=600), fingerprint(4, "first")],
    }
    for _ in range(2):  # twice is once
        assert store.fingerprints.replace_all(WORK, new) == set()
    found = store.fingerprints.of_all(WORK, ["changed", "first", "beside", "nobody"])
    assert {owner: numbers(some) for owner, some in found.items()} == {"changed": [3], "first": [4, 5], "beside": [2]}
    assert found["first"] == store.fingerprints.of(WORK, "first")
    assert sorted(numbers(store.fingerprints.find_retired(WORK, 10))) == [0, 1]
    assert store.fingerprints.replace_all(WORK, {}) == set()
    assert store.fingerprints.of_all(WORK, []) == {}


def test_of_many_owners_those_that_others_were_later_with_are_told(store: Store) -> None:
    store.fingerprints.replace(WORK, "ahead", [fingerprint(0, "ahead", owner_version=2)])
    lost = store.fingerprints.replace_all(WORK, {"ahead": [fingerprint(1, "ahead")], "w1": [fingerprint(2)]})
    assert lost == {"ahead"}
    found = store.fingerprints.of_all(WORK, ["ahead", "w1"])
    assert {owner: numbers(some) for owner, some in found.items()} == {"ahead": [0], "w1": [2]}
    assert numbers(store.fingerprints.find_retired(WORK, 10)) == [1]


def test_writers_of_the_same_many_owners_at_once_leave_the_fingerprints_of_the_last(store: Store) -> None:
    def replace(first: int) -> None:
        store.fingerprints.replace_all(WORK, {f"w{n}": [fingerprint(first + n, f"w{n}")] for n in range(10)})

    at_once(*[partial(replace, 10 * turn) for turn in range(8)])
    found = store.fingerprints.of_all(WORK, [f"w{n}" for n in range(10)])
    assert {owner: numbers(some) for owner, some in found.items()} == {f"w{n}": [70 + n] for n in range(10)}
    assert len(store.fingerprints.find_retired(WORK, 1000)) == 70
