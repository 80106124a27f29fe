"""The machine opens and refreshes cases; what people decided stays decided."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pymongo
import pytest

from matcher.model import Level
from tests.support.samples import NOON, at_once, capture, case, match
from tests.support.seed import move_case
from wenhen.cases.model import CaseDecision, CaseOrder, CaseStatus
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import NotFound

LATER = NOON + timedelta(days=1)


def test_cases_are_numbered_from_one_for_people(store: Store) -> None:
    first, is_new = store.cases.open_or_update(case("p1"))
    assert is_new
    second, _ = store.cases.open_or_update(case("p2"))
    assert (first.number, second.number) == (1, 2)
    assert store.cases.get("p1:w1") == store.cases.get("1") == first == case("p1", number=1)


def test_a_later_look_refreshes_the_case_and_keeps_its_number_decision_and_opening(store: Store) -> None:
    store.cases.open_or_update(case())
    move_case(store, "1", CaseStatus.CONFIRMED, by="王", reason="全文照抄", at=NOON)
    newer = case(
        match=match(similarity=0.5),
        capture=capture(status=203),
        opened_at=LATER,
        updated_at=LATER,
        licence_id="l1",
        work_title="新题",
    )
    updated, is_new = store.cases.open_or_update(newer)
    assert not is_new
    assert updated == store.cases.get("p1:w1")
    assert (updated.number, updated.status, updated.opened_at) == (1, CaseStatus.CONFIRMED, NOON)
    assert (updated.decided_by, updated.reason, updated.decided_at) == ("王", "全文照抄", NOON)
    assert (updated.match, updated.capture) == (newer.match, newer.capture)
    assert (updated.updated_at, updated.licence_id, updated.work_title) == (LATER, "l1", "新题")


def test_a_case_seen_again_takes_no_number(store: Store) -> None:
    for _ in range(3):
        store.cases.open_or_update(case("p1"))
    assert store.cases.open_or_update(case("p2"))[0].number == 2


def test_a_case_opened_by_many_at_once_is_new_once(store: Store) -> None:
    results = at_once(*[partial(store.cases.open_or_update, case())] * 8)
    assert [is_new for _, is_new in results].count(True) == 1
    assert len({found.number for found, _ in results}) == 1
    assert store.cases.count() == 1


def test_cases_opened_at_once_have_numbers_of_their_own(store: Store) -> None:
    results = at_once(*[partial(store.cases.open_or_update, case(f"p{n}")) for n in range(8)])
    assert sorted(found.number for found, _ in results) == list(range(1, 9))


def test_a_copy_that_is_gone_is_marked_and_marked_back_when_it_returns(store: Store) -> None:
    store.cases.open_or_update(case("p1"))
    store.cases.open_or_update(case("p2"))
    store.cases.mark_absent(["p1:w1", "p9:w9"], LATER)
    gone = store.cases.get("p1:w1")
    assert (gone.present, gone.updated_at) == (False, LATER)
    assert store.cases.get("p2:w1").present
    store.cases.mark_absent(["p1:w1"], LATER + timedelta(days=1))
    assert store.cases.get("p1:w1") == gone
    assert store.cases.open_or_update(case("p1"))[0].present


def test_a_copy_of_what_became_common_is_marked_so_until_it_is_found_again(store: Store) -> None:
    store.cases.open_or_update(case("p1"))
    store.cases.mark_absent(["p1:w1"], LATER, common=True)
    gone = store.cases.get("p1:w1")
    assert (gone.present, gone.common) == (False, True)
    back = store.cases.open_or_update(case("p1"))[0]
    assert (back.present, back.common) == (True, False)


def test_a_decision_is_kept_with_who_and_why_and_may_be_changed(store: Store) -> None:
    store.cases.open_or_update(case())
    decided = move_case(store, "p1:w1", CaseStatus.DISMISSED, by="王", reason="自家转载", at=LATER)
    assert decided == store.cases.get("1")
    assert (decided.status, decided.decided_by, decided.reason) == (CaseStatus.DISMISSED, "王", "自家转载")
    assert decided.decided_at == decided.updated_at == LATER
    again = move_case(store, "1", CaseStatus.CONFIRMED, by="李", reason=None, at=LATER)
    assert (again.status, again.decided_by, again.reason) == (CaseStatus.CONFIRMED, "李", None)


EVERYWHERE = tuple(CaseStatus)


def moved(store: Store, numbers: list[int], status: CaseStatus, batch: str, **more: Any) -> list[int]:
    only_from = more.pop("only_from", EVERYWHERE)
    decision = CaseDecision(status=status, **{"by": "王", "at": LATER, **more})
    return sorted(store.cases.decide_many(numbers, decision, only_from=only_from, batch=batch))


def test_many_cases_move_at_once_but_only_from_where_their_path_leads_on(store: Store) -> None:
    for number in range(1, 5):
        store.cases.open_or_update(case(f"p{number}"))
    assert moved(store, [1, 2, 99], CaseStatus.CONFIRMED, "a") == [1, 2]
    assert moved(store, [1, 3], CaseStatus.NOTICE_SENT, "b", only_from=[CaseStatus.CONFIRMED]) == [1]
    assert [str(store.cases.get(n).status) for n in "1234"] == ["notice_sent", "confirmed", "lead", "lead"]
    assert moved(store, [], CaseStatus.CONFIRMED, "c") == []


def test_every_move_is_kept_with_who_when_and_why(store: Store) -> None:
    store.cases.open_or_update(case())
    moved(store, [1], CaseStatus.CONFIRMED, "a", reason="$全文照抄", at=NOON)
    moved(store, [1], CaseStatus.NOTICE_SENT, "b", by="李", notice_at=NOON, deadline=LATER)
    moved(store, [1], CaseStatus.REMOVED, "c", by="李", reason="已删")
    found = store.cases.get("1")
    assert [(str(one.status), one.by, one.at, one.note) for one in found.history] == [
        ("confirmed", "王", NOON, "$全文照抄"),
        ("notice_sent", "李", LATER, None),
        ("removed", "李", LATER, "已删"),
    ]
    assert (found.notice_at, found.deadline) == (NOON, LATER)  # the later move left them as they were
    store.cases.open_or_update(case(match=match(similarity=0.5)))
    assert store.cases.get("1").history == found.history


def test_the_last_move_can_be_undone_and_what_stood_before_it_stands_again(store: Store) -> None:
    for number in (1, 2):
        store.cases.open_or_update(case(f"p{number}"))
    moved(store, [1, 2], CaseStatus.CONFIRMED, "a", reason="$全文照抄", at=NOON)
    first = store.cases.get("1")
    moved(store, [1], CaseStatus.NOTICE_SENT, "b", deadline=LATER)
    assert store.cases.undo("a", within=list(CaseStatus), moment=LATER) == [2]  # the other was moved since
    assert (store.cases.get("2").status, store.cases.get("2").decided_at) == (CaseStatus.LEAD, None)
    assert store.cases.get("2").history == ()
    assert store.cases.undo("b", within=list(CaseStatus), moment=LATER) == [1]
    assert store.cases.get("1") == replace(first, updated_at=LATER)
    assert store.cases.undo("b", within=list(CaseStatus), moment=LATER) == []


def test_an_undo_is_kept_to_whose_decisions_it_may_take_back_and_to_where_they_may_stand(store: Store) -> None:
    for number in (1, 2):
        store.cases.open_or_update(case(f"p{number}"))
    moved(store, [1, 2], CaseStatus.CONFIRMED, "a")
    moved(store, [1], CaseStatus.NOTICE_SENT, "b", by="顾")
    moved(store, [2], CaseStatus.DISMISSED, "c", by="顾", reason="误判")
    assert store.cases.undo("c", within=list(CaseStatus), by="沈", moment=LATER) == []
    for within in ({CaseStatus.NOTICE_SENT}, {CaseStatus.CONFIRMED}):
        assert store.cases.undo("b", within=within, by="顾", moment=LATER) == []
    assert store.cases.undo("c", within=list(CaseStatus), by="顾", moment=LATER) == [2]
    assert [one.status for one in store.cases.many([1, 2]).values()] == [CaseStatus.NOTICE_SENT, CaseStatus.CONFIRMED]


def test_an_undo_survives_a_later_look(store: Store) -> None:
    store.cases.open_or_update(case())
    moved(store, [1], CaseStatus.CONFIRMED, "a")
    store.cases.open_or_update(case(match=match(similarity=0.5)))
    store.cases.undo("a", within=list(CaseStatus), moment=LATER)
    undone = store.cases.get("1")
    assert (undone.status, undone.match.similarity) == (CaseStatus.LEAD, 0.5)


def test_a_case_of_an_earlier_release_keeps_its_decision_as_the_first_move(
    store: Store, mongo_url_and_db: tuple[str, str]
) -> None:
    store.cases.open_or_update(case(licence_id="l1"))
    move_case(store, "1", CaseStatus.DISMISSED, by="王", reason="误判", at=NOON)
    with pymongo.MongoClient[dict[str, Any]](mongo_url_and_db[0]) as client:
        later = (
            "history",
            "assignee",
            "notice_at",
            "deadline",
            "extent",
            "credited",
            "batch",
            "licensed",
            "terms",
            "worth",
        )
        cases = client.get_database(mongo_url_and_db[1]).get_collection("cases")
        cases.update_many({}, {"$unset": dict.fromkeys(later, "")})
    store.prepare()
    assert [one.number for one in store.cases.find(text="檐雨", licensed=True)] == [1]
    moved(store, [1], CaseStatus.LEAD, "a", at=LATER)
    assert [(str(one.status), one.by, one.note) for one in store.cases.get("1").history] == [
        ("dismissed", "王", "误判"),
        ("lead", "王", None),
    ]
    store.cases.undo("a", within=list(CaseStatus), moment=LATER)
    assert (store.cases.get("1").status, store.cases.get("1").reason) == (CaseStatus.DISMISSED, "误判")


def test_a_quiet_case_wakes_up_when_the_copy_grows_and_only_then(store: Store) -> None:
    store.cases.open_or_update(case(match=match(share_of_page=0.3, share_of_work=0.2)))
    moved(store, [1], CaseStatus.QUIET, "a", at=NOON)
    store.cases.open_or_update(case(match=match(share_of_page=0.305, share_of_work=0.1)))
    assert store.cases.get("1").status is CaseStatus.QUIET
    grown, is_new = store.cases.open_or_update(case(match=match(share_of_page=0.3, share_of_work=0.4)))
    assert (grown.status, is_new, grown.extent) == (CaseStatus.LEAD, False, None)
    assert [str(one.status) for one in grown.history] == ["quiet", "lead"]
    moved(store, [1], CaseStatus.QUIET, "b")
    more = match().passages * 2
    assert store.cases.open_or_update(case(match=match(passages=more)))[0].status is CaseStatus.LEAD


def test_reprints_without_attribution_that_counted_as_licensed_before_are_copies_now(store: Store) -> None:
    store.cases.open_or_update(case("p1", licence_id="l1", credited=False))
    store.cases.table.update_all({}, {"$set": {"licensed": True}})
    store.cases.complete_old()
    assert (store.cases.count(copies=True), store.cases.count(licensed=True)) == (1, 0)


def test_cases_are_given_to_somebody_and_marked_as_licensed(store: Store) -> None:
    for number in (1, 2):
        store.cases.open_or_update(case(f"p{number}"))
    store.cases.assign([1, 77], "李", moment=LATER)
    assert [one.number for one in store.cases.find(assignee="李")] == [1]
    assert [one.number for one in store.cases.find(assignee="")] == [2]
    store.cases.set_licence("p2:w1", "l1", False, LATER)
    assert [one.number for one in store.cases.find(licence_id="l1", credited=False)] == [2]
    assert store.cases.count(copies=True) == 2, "a reprint without its attribution is a copy"
    store.cases.set_licence("p2:w1", "l1", True, LATER)
    assert [one.number for one in store.cases.find(licensed=True)] == [2]
    store.cases.set_licence("p2:w1", None, None, LATER)
    assert store.cases.count(licensed=True) == 0
    store.cases.open_or_update(case("p1"))
    assert store.cases.get("1").assignee == "李"


@pytest.mark.parametrize("id", ["p9:w9", "7", "99999999999999999999999", "²", ""])
def test_a_case_that_is_not_there_is_not_found(store: Store, id: str) -> None:
    with pytest.raises(NotFound):
        store.cases.get(id)


def test_cases_are_found_by_any_mixture_of_conditions_the_last_opened_first(store: Store) -> None:
    for page, work, host in [("p1", "w1", "a.example"), ("p1", "w2", "a.example"), ("p2", "w1", "b.example")]:
        store.cases.open_or_update(case(page, work, page_host=host))
    move_case(store, "2", CaseStatus.DISMISSED, by="王", reason=None, at=NOON)

    def found(**conditions: Any) -> list[int]:
        assert store.cases.count(**conditions) == len(store.cases.find(**conditions))
        return [one.number for one in store.cases.find(**conditions)]

    assert found() == [3, 2, 1]
    assert found(status=CaseStatus.LEAD) == [3, 1]
    assert found(host="a.example") == [2, 1]
    assert found(work_id="w1", host="a.example", status=CaseStatus.LEAD) == [1]
    assert found(page_id="p1") == [2, 1]
    assert found(host="c.example") == []
    assert [one.number for one in store.cases.find(skip=1, limit=1)] == [2]
    assert [one.number for one in store.cases.each()] == [1, 2, 3]
    assert [one.number for one in store.cases.each(status=CaseStatus.DISMISSED)] == [2]


def test_cases_are_found_by_level_licence_and_presence_in_the_order_that_is_asked_for(store: Store) -> None:
    made = [
        (Level.LIGHT, 0.5, None),
        (Level.VERBATIM, 0.9, "l1"),
        (Level.LIGHT, 0.7, None),
        (Level.VERBATIM, 0.5, None),
    ]
    for number, (level, share, licence) in enumerate(made):
        found = match(f"p{number}", level=level, share_of_page=share)
        store.cases.open_or_update(case(f"p{number}", match=found, licence_id=licence))
    store.cases.mark_absent(["p2:w1"], LATER)

    def numbers(**conditions: Any) -> list[int]:
        found = [one.number for one in store.cases.find(**conditions)]
        conditions.pop("order", None)
        assert store.cases.count(**conditions) == len(found)
        return found

    assert numbers(level=Level.LIGHT) == [3, 1]
    assert numbers(licensed=True) == [2]
    assert numbers(licensed=False) == [4, 3, 1]
    assert numbers(present=False) == [3]
    assert numbers(present=True, licensed=False, level=Level.VERBATIM) == [4]
    assert numbers(order=CaseOrder.OLDEST) == [1, 2, 3, 4]
    move_case(store, "2", CaseStatus.CONFIRMED, by="王", reason=None, at=NOON)
    assert store.cases.count_by_status() == {CaseStatus.LEAD: 3, CaseStatus.CONFIRMED: 1}
    assert store.cases.count_by_status(level=Level.VERBATIM) == {CaseStatus.LEAD: 1, CaseStatus.CONFIRMED: 1}
    assert store.cases.count_by_status(present=False, licensed=False) == {CaseStatus.LEAD: 1}
    assert store.cases.count_by_status(host="nowhere.example", work_id="w1") == {}
    assert numbers(order=CaseOrder.LARGEST) == [2, 3, 4, 1]


def test_cases_are_found_by_probability_share_day_words_and_removal(store: Store) -> None:
    for number, (score, share, title) in enumerate(
        [(0.3, 0.1, "雨夜"), (0.6, 0.5, "夜雨寄北"), (0.95, 0.9, "Night Rain")]
    ):
        found = match(f"p{number}", score=score, share_of_page=share)
        opened = NOON + timedelta(days=number)
        store.cases.open_or_update(case(f"p{number}", match=found, page_title=title, opened_at=opened))

    def numbers(**conditions: Any) -> list[int]:
        found = [one.number for one in store.cases.find(**conditions)]
        assert [one["number"] for one in store.cases.keys(limit=10, **conditions)] == found
        conditions.pop("order", None)
        assert store.cases.count(**conditions) == len(found)
        return found

    assert numbers(score_from=0.6) == [3, 2]
    assert numbers(score_from=0.3, score_to=0.6) == [1]
    assert numbers(share_from=0.4, share_to=0.9) == [2]
    assert numbers(since=NOON + timedelta(days=1), until=NOON + timedelta(days=2)) == [2]
    assert numbers(text="夜雨") == [2]
    assert numbers(text="夜") == [2, 1]
    assert numbers(text="rain") == [3]
    assert numbers(text="檐雨 rain night") == [3]  # the work's title and the page's
    assert numbers(text="？！") == []
    assert numbers(hosts=["news.example", "b.example"], numbers=[1, 3]) == [3, 1]
    assert numbers(order=CaseOrder.LIKELIEST) == [3, 2, 1]
    moved(store, [1, 2], CaseStatus.NOTICE_SENT, "a", deadline=LATER)
    assert sorted(one.number for one in store.cases.find(order=CaseOrder.DEADLINE)) == [1, 2]
    store.cases.mark_absent(["p1:w1", "p2:w1"], LATER)
    assert numbers(removal=True) == [2]  # number 3 was never confirmed
    assert set(store.cases.many([2, 9])) == {2}
    assert store.cases.many([2])[2].match.passages == ()


def test_what_is_most_worth_a_look_comes_first_also_once_its_match_is_another(store: Store) -> None:
    for number, (share, weight) in enumerate([(0.4, 90.0), (0.9, 900.0), (0.9, 90.0)]):
        found = match(f"p{number}", share_of_page=share, share_of_work=0.1, weight=weight)
        store.cases.open_or_update(case(f"p{number}", match=found))

    def numbers(**conditions: Any) -> list[int]:
        keys = store.cases.keys(order=CaseOrder.WORTH, limit=9, **conditions)
        return [one["number"] for one in keys]

    assert numbers() == numbers(status=CaseStatus.LEAD) == numbers(work_id="w1") == [2, 3, 1]
    second = store.cases.get("2")
    store.cases.set_match(second, replace(second.match, share_of_page=0.0, share_of_work=0.0), second.match, NOON)
    assert numbers() == [3, 1, 2]


def test_cases_that_open_together_are_numbered_in_their_order_and_one_that_was_there_keeps_its_number(
    store: Store,
) -> None:
    store.cases.open_or_update(case("p2"))
    move_case(store, "1", CaseStatus.CONFIRMED, by="李", reason=None, at=NOON)
    opened = store.cases.open_or_update_all([case("p1"), case("p2", updated_at=LATER), case("p3")])
    assert [(one.id, one.number, new) for one, new in opened] == [
        ("p1:w1", 2, True),
        ("p2:w1", 1, False),
        ("p3:w1", 3, True),
    ]
    assert opened[1][0] == store.cases.get("p2:w1")
    assert (opened[1][0].status, opened[1][0].updated_at) == (CaseStatus.CONFIRMED, LATER)
    assert store.cases.open_or_update_all([]) == []


def test_cases_that_several_open_together_at_the_same_moment_are_each_new_once(store: Store) -> None:
    many = [case(f"p{n}") for n in range(6)]
    results = at_once(*[partial(store.cases.open_or_update_all, many)] * 4)
    assert sorted(one.id for opened in results for one, new in opened if new) == sorted(one.id for one in many)
    numbers = {one.id: one.number for one in store.cases.each()}
    assert len({*numbers.values()}) == len(many)
    assert all(one.number == numbers[one.id] for opened in results for one, _ in opened)


def test_the_cases_of_pages_of_one_cluster_say_so_and_a_later_look_leaves_it(store: Store) -> None:
    for page in ("p1", "p2", "p3"):
        store.cases.open_or_update(case(page))
    store.cases.open_or_update(case("p1", "w2"))
    store.cases.set_clusters({"p1": "c1", "p2": "c1", "p9": "c2"})
    store.cases.open_or_update(case("p1", updated_at=LATER))
    clusters = {one.id: one.cluster_id for one in store.cases.each()}
    assert clusters == {"p1:w1": "c1", "p1:w2": "c1", "p2:w1": "c1", "p3:w1": None}
    store.cases.set_clusters({"p2": None})
    store.cases.set_clusters({})
    assert store.cases.get("p2:w1").cluster_id is None
