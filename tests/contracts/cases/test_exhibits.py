"""Exhibits and time stamps that are wanted are taken up by one, and kept until they are there."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.samples import NOON, case
from wenhen.cases.model import CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.evidence.model import Exhibit, ExhibitReason, Receipt, Stamp
from wenhen.kit.errors import NotFound

LATER = NOON + timedelta(minutes=10)


def exhibit(id: str, minute: int = 0) -> Exhibit:
    at = NOON + timedelta(minutes=minute)
    return Exhibit(
        id=id,
        case_id="p1:w1",
        case_number=1,
        why=ExhibitReason.ASKED,
        by="沈",
        wanted_at=at,
        state=f"state {id}",
        due=at,
    )


def test_one_who_takes_an_exhibit_up_has_it_alone_until_the_time_is_over(store: Store) -> None:
    store.exhibits.add(exhibit("a"))
    assert not store.exhibits.has_due(NOON - timedelta(minutes=1))
    taken = store.exhibits.claim(NOON, LATER)
    assert taken == replace(exhibit("a"), due=LATER, tries=1)
    assert store.exhibits.claim(NOON, LATER) is None
    again = store.exhibits.claim(LATER, LATER + timedelta(minutes=10))
    assert again is not None
    assert again.tries == 2
    store.exhibits.put(replace(again, due=None, made_at=LATER, sealed="sealed:1:x"))
    assert not store.exhibits.has_due(LATER + timedelta(days=1))
    assert [one.id for one in store.exhibits.all_sealed()] == ["a"]


def receipt(id: str) -> Receipt:
    return Receipt(
        id=id,
        issuer="公证处",
        file_name="a.pdf",
        digest="d" * 64,
        size=4,
        manifest_digest="e" * 64,
        added_at=NOON,
        added_by="沈",
    )


def test_what_is_sealed_anew_loses_no_receipt_that_came_meanwhile(store: Store) -> None:
    store.exhibits.add(replace(exhibit("a"), sealed="sealed:1:x"))
    [read] = store.exhibits.all_sealed()
    store.exhibits.add_receipt("a", receipt("x"))
    assert store.exhibits.reseal("a", read.sealed or "", "sealed:2:x")
    assert store.exhibits.get("a") == replace(read, sealed="sealed:2:x", receipts=(receipt("x"),))
    assert not store.exhibits.reseal("a", read.sealed or "", "sealed:3:x"), "it is another by now"


def test_a_receipt_is_added_behind_those_that_are_there(store: Store) -> None:
    store.exhibits.add(exhibit("a"))
    store.exhibits.add(exhibit("c", 5))
    given = [receipt(id) for id in "xy"]
    for one in given:
        store.exhibits.add_receipt("a", one)
    assert store.exhibits.get("a").receipts == tuple(given)
    assert store.exhibits.receipts_of([1, 2]) == {1: given}
    with pytest.raises(NotFound):
        store.exhibits.add_receipt("b", given[0])


def test_the_newest_exhibit_of_a_case_says_what_was_shown_last(store: Store) -> None:
    for minute, id in enumerate("ab"):
        store.exhibits.add(exhibit(id, minute))
    assert [one.id for one in store.exhibits.of_case(1)] == ["b", "a"]
    assert store.exhibits.of_case(2) == []
    assert store.exhibits.newest_states(["p1:w1", "p2:w1"]) == {"p1:w1": "state b"}
    with pytest.raises(NotFound):
        store.exhibits.get("c")


def test_cases_that_were_written_lately_are_found_by_their_status(store: Store) -> None:
    lead, confirmed = case(), case("p2", status=CaseStatus.CONFIRMED)
    for one in (lead, confirmed):
        store.cases.open_or_update(one)
    found = store.exhibits.changed_cases(NOON, [CaseStatus.CONFIRMED], 10)
    assert [one.id for one in found] == [confirmed.id]
    assert store.exhibits.changed_cases(NOON + timedelta(seconds=1), [CaseStatus.CONFIRMED], 10) == []


def test_a_stamp_is_wanted_once_and_found_by_what_it_is_of(store: Store) -> None:
    wanted = Stamp(id="audit:7", text="7 abc", wanted_at=NOON, due=NOON)
    for text in ("7 abc", "another"):
        store.stamps.want(replace(wanted, text=text))
    store.stamps.want(replace(wanted, id="exhibit:a"))
    assert store.stamps.of("audit") == [wanted]
    taken = store.stamps.claim(NOON, LATER)
    assert taken is not None
    store.stamps.put(
        replace(taken, due=None, at=NOON, answer=b"\x30\x00", chain="PEM", authority="https://tsa.example")
    )
    assert store.stamps.many([taken.id])[taken.id].answer == b"\x30\x00"
    assert store.stamps.has_due(NOON)
