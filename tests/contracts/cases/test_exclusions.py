"""What people left out of cases is kept until it is taken back, and found by the cases that it covers."""

from datetime import timedelta

import pytest

from tests.support.samples import NOON, case, match
from wenhen.context.store_and_queue import Store
from wenhen.exclusions.model import Excluded, Exclusion, ExclusionScope, case_places, covered_places, exclusion_id
from wenhen.kit.errors import Conflict, NotFound


def exclusion(id: str, scope: ExclusionScope, *hosts: str, minute: int = 0) -> Exclusion:
    return Exclusion(
        id=id,
        what=Excluded.BLOCK,
        scope=scope,
        covers=covered_places(scope, "p1:w1", "w1", hosts),
        case_number=1,
        work_id="w1",
        letters=bytes(range(12)),
        text="许可",
        why="声明",
        by="王",
        at=NOON + timedelta(minutes=minute),
    )


def test_a_case_is_covered_by_itself_its_work_and_the_hosts_of_its_site(store: Store) -> None:
    one = exclusion("a", ExclusionScope.CASE, minute=2)
    work = exclusion("b", ExclusionScope.WORK, minute=1)
    site = exclusion("c", ExclusionScope.SITE, "news.example", "www.news.example")
    for each in (one, work, site):
        store.exclusions.add(each)
    assert store.exclusions.find_covering(case_places("p1:w1", "w1", "www.news.example")) == [site, work, one]
    assert store.exclusions.find_covering(case_places("p2:w1", "w1", "other.example")) == [work]
    assert store.exclusions.find_covering(case_places("p1:w2", "w2", "other.example")) == []
    assert store.exclusions.get("b") == work


def test_what_is_left_out_everywhere_covers_every_case_and_the_latest_come_first(store: Store) -> None:
    one, everywhere = exclusion("a", ExclusionScope.CASE), exclusion("b", ExclusionScope.EVERYWHERE, minute=3)
    for each in (one, everywhere):
        store.exclusions.add(each)
    assert store.exclusions.find_covering(case_places("p9:w9", "w9", "other.example")) == [everywhere]
    assert store.exclusions.latest(9) == [everywhere, one]
    assert store.exclusions.latest(1) == [everywhere]


def test_one_is_added_once_and_taken_back_once(store: Store) -> None:
    one = exclusion("a", ExclusionScope.CASE)
    store.exclusions.add(one)
    with pytest.raises(Conflict):
        store.exclusions.add(one)
    store.exclusions.remove("a")
    for gone in (store.exclusions.get, store.exclusions.remove):
        with pytest.raises(NotFound, match="a"):
            gone("a")


def test_the_same_thing_left_out_of_the_same_cases_has_the_same_id() -> None:
    letters = bytes(range(12))
    id = exclusion_id(Excluded.BLOCK, ("site:a", "site:b"), "w1", letters)
    assert id == exclusion_id(Excluded.BLOCK, ("site:b", "site:a"), "w2", letters)
    assert id != exclusion_id(Excluded.BLOCK, ("site:a",), "w1", letters)
    assert id != exclusion_id(Excluded.BLOCK, ("site:a", "site:b"), "w1", letters[:-1])
    source = exclusion_id(Excluded.SOURCE, ("site:a",), "w1", b"")
    assert source != exclusion_id(Excluded.SOURCE, ("site:a",), "w2", b"")


def test_a_case_gets_another_match_unless_a_later_look_put_one_there(store: Store) -> None:
    opened, _ = store.cases.open_or_update(case())
    less = match(share_of_page=0.1, passages=())
    assert store.cases.set_match(opened, less, opened.match, NOON)
    kept = store.cases.get("p1:w1")
    assert (kept.match, kept.found) == (less, opened.match)
    assert (store.cases.many([1])[1].match.share_of_page, store.cases.many([1])[1].found) == (0.1, None)
    later = case(match=match(matched_at=NOON + timedelta(days=1)))
    store.cases.open_or_update(later)
    assert not store.cases.set_match(kept, opened.match, None, NOON)
    assert store.cases.get("p1:w1").match == later.match
    assert store.cases.get("p1:w1").found is None
