"""A work takes the place of its double, with its cases, their numbers and decisions, and its licences."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import pytest

from tests.support.acting import by
from tests.support.seed import NOW, WORK_TEXT, Seeder, move_case
from wenhen.cases.model import Case, CaseStatus
from wenhen.cases.repository import Cases
from wenhen.kit.errors import BadInput, NotFound
from wenhen.kit.progress import Owner, Step, match_id
from wenhen.licences.service import add_licence, remove_licence
from wenhen.runtime.wiring import App
from wenhen.works.model import WorkDraft
from wenhen.works.service import merge_works, put_work

SECOND: Final = timedelta(seconds=1)


def test_cases_move_with_their_numbers_and_decisions_and_the_double_does_not_come_back(product: App) -> None:
    seed, store = Seeder(product.store), product.store
    seed.work(proof=None)
    seed.work("twice", title="修船的人", proof="登记第 7 号", author="别人")
    both = seed.case("https://b.example/1")
    twice = seed.case("https://b.example/1", work_id="twice")
    decided = seed.case("https://c.example/1", work_id="twice")
    move_case(store, decided.id, CaseStatus.CONFIRMED, by="a", reason="整篇", at=NOW)
    add_licence(by(product), "晨读网", "morning.example", work_id="twice")
    store.works.restart("dock", Step.DONE)

    assert merge_works(by(product), "twice", "dock") == 1
    moved = store.cases.get(str(decided.number))
    assert (moved.work_id, moved.work_title, moved.status) == ("dock", "修船的老人", CaseStatus.CONFIRMED)
    assert moved.id == moved.match.id == match_id(Owner.of_page(decided.page_id), "dock")
    assert moved.history[-1].note == "整篇"
    assert decided.number in {one.number for one in store.cases.find(text="老人")}
    assert {one.number for one in store.cases.find(work_id="dock")} == {both.number, decided.number}
    [left] = store.cases.find(work_id="twice")
    assert (left.number, left.status, left.work_title) == (twice.number, CaseStatus.DISMISSED, "修船的老人")
    assert "作品已合并" in (left.reason or "")
    assert store.cases.get(str(both.number)).status is CaseStatus.LEAD
    with pytest.raises(NotFound):
        store.cases.get(decided.id)
    work = store.works.get("dock")
    assert (work.proof, work.author, work.progress.step) == ("登记第 7 号", "沈之遥", Step.LOOK_UP)
    assert [one.work_id for one in store.licences.all()] == ["dock"]
    assert store.works.get("twice").merged_into == "dock"
    again = WorkDraft(id="twice", title="修船的人", text=WORK_TEXT)
    assert put_work(by(product), again) == ("dock", "unchanged")
    assert store.works.get("twice").removed_at
    assert store.works.count_by_step()[Step.REMOVE] == 1


def test_of_two_cases_of_a_page_the_pursued_one_stays_and_two_judged_ones_both(product: App) -> None:
    seed, store = Seeder(product.store), product.store
    seed.work()
    seed.work("twice", title="修船的人")
    pages = [f"https://b.example/{number}" for number in range(3)]
    ours = [seed.case(page) for page in pages]
    theirs = [seed.case(page, work_id="twice") for page in pages]
    for case, status in (
        (theirs[0], CaseStatus.CONFIRMED),
        *((case, CaseStatus.CONFIRMED) for case in (ours[1], theirs[1])),
        (theirs[2], CaseStatus.DISMISSED),
    ):
        move_case(store, case.id, status, by="a", reason="看过", at=NOW)
    merge_works(by(product), "twice", "dock")
    after = [str(store.cases.get(str(case.number)).status) for case in (*ours, *theirs)]
    assert after == ["dismissed", "confirmed", "lead", "confirmed", "confirmed", "dismissed"]
    assert store.cases.dismiss_twins(store.works.get("dock"), "twice", by="a", moment=NOW) == 0


def test_a_work_is_no_double_of_itself_nor_of_one_that_is_not_there(product: App) -> None:
    Seeder(product.store).work()
    with pytest.raises(BadInput):
        merge_works(by(product), "dock", "dock")
    with pytest.raises(NotFound):
        merge_works(by(product), "nowhere", "dock")
    assert product.store.works.get("dock").removed_at is None


def test_to_move_twice_moves_nothing_more(product: App) -> None:
    seed, store = Seeder(product.store), product.store
    seed.work()
    seed.work("twice", title="修船的人")
    case = seed.case("https://c.example/1", work_id="twice")
    work = store.works.get("dock")
    assert store.cases.move_to(work, "twice") == 1
    assert store.cases.move_to(work, "twice") == 0
    assert store.cases.get(str(case.number)).work_id == "dock"


def test_what_is_decided_while_a_case_moves_goes_along(product: App, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of_a_double(product)
    cases = product.store.cases
    assert isinstance(cases, Cases)
    insert = cases.table.add_all

    def decided_after(documents: Sequence[dict[str, Any]]) -> set[int]:
        monkeypatch.undo()
        taken = insert(documents)
        confirm(product, case)
        return taken

    monkeypatch.setattr(cases.table, "add_all", decided_after)
    assert merge_works(by(product), "twice", "dock") == 1
    assert_moved_and_confirmed(product, case)


def test_what_is_decided_after_a_merge_died_goes_along_when_it_is_repeated(
    product: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = case_of_a_double(product)
    cases = product.store.cases
    assert isinstance(cases, Cases)

    def killed(_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(cases.table, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            merge_works(by(product), "twice", "dock")
    confirm(product, case)
    merge_works(by(product), "twice", "dock")
    assert_moved_and_confirmed(product, case)


def test_a_licence_that_is_withdrawn_just_then_stays_withdrawn(product: App, monkeypatch: pytest.MonkeyPatch) -> None:
    case_of_a_double(product)
    licence = add_licence(by(product), "晨读网", "morning.example", work_id="twice")
    remove_licence(by(product), licence.id)
    with monkeypatch.context() as earlier:
        earlier.setattr(product.store.licences, "all", lambda: [licence])  # as it was a moment before
        merge_works(by(product), "twice", "dock")
    assert product.store.licences.all() == []


def case_of_a_double(product: App) -> Case:
    seed = Seeder(product.store)
    seed.work()
    seed.work("twice", title="修船的人")
    return seed.case("https://c.example/1", work_id="twice")


def confirm(product: App, case: Case) -> None:
    move_case(product.store, str(case.number), CaseStatus.CONFIRMED, by="a", reason="整篇", at=NOW + SECOND)


def assert_moved_and_confirmed(product: App, case: Case) -> None:
    moved = product.store.cases.get(str(case.number))
    assert (moved.work_id, moved.status, moved.reason) == ("dock", CaseStatus.CONFIRMED, "整篇")
    assert product.store.cases.count() == 1
