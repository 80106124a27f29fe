"""One worker at a time does the next step of a work or a page; the same law for both."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from tests.support.samples import NOON, TurnedClock, at_once, capture, draft
from wenhen.context.store_and_queue import Store
from wenhen.kit.errors import NotFound, plain_message
from wenhen.kit.progress import Step
from wenhen.steps.claims import Steps

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Side:
    """The steps of works or of pages, and a way to make a record whose first step is `first`."""

    steps: Steps[Any]
    make: Callable[[str], str]
    first: Step


@pytest.fixture(params=["works", "pages"])
def side(request: pytest.FixtureRequest, store: Store) -> Side:
    if request.param == "works":

        def work(name: str) -> str:
            return store.works.put_all([draft(name)], note=None, step=Step.FINGERPRINT)[0][0].id

        return Side(store.works, work, Step.FINGERPRINT)

    def page(name: str) -> str:
        return store.pages.put_capture(f"http://news.example/{name}", capture(), site_id=None).id

    return Side(store.pages, page, Step.EXTRACT)


def test_a_claim_gives_the_record_and_counts_a_try(side: Side) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    assert (claim.id, claim.step, claim.record.progress.tries) == (id, side.first, 1)
    assert claim.record == side.steps.get(id)


def test_nobody_claims_a_step_that_is_not_next_or_a_record_that_is_not_there(side: Side) -> None:
    id = side.make("a")
    assert side.steps.claim(id, Step.ALIGN, MINUTE) is None
    assert side.steps.claim("nobody", side.first, MINUTE) is None
    with pytest.raises(NotFound, match="nobody"):
        side.steps.get("nobody")


def test_of_many_workers_at_once_one_gets_the_claim(side: Side) -> None:
    id = side.make("a")
    claims = at_once(*[lambda: side.steps.claim(id, side.first, MINUTE)] * 12)
    assert len([claim for claim in claims if claim]) == 1
    assert side.steps.get(id).progress.tries == 1


def test_a_lapsed_claim_goes_to_the_next_worker_and_the_old_one_can_do_nothing(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    slow = side.steps.claim(id, side.first, MINUTE)
    assert slow is not None
    clock.turn(seconds=59)
    assert side.steps.claim(id, side.first, MINUTE) is None
    clock.turn(seconds=1)
    quick = side.steps.claim(id, side.first, MINUTE)
    assert quick is not None
    assert quick.record.progress.tries == 2
    assert not side.steps.extend_all([slow], MINUTE)
    side.steps.release(slow, due=NOON, problem=plain_message("late"))
    side.steps.set_aside(slow, plain_message("late"))
    assert not side.steps.advance(slow, Step.DONE)
    assert side.steps.get(id).progress == quick.record.progress
    assert side.steps.advance(quick, Step.INDEX)


def test_many_records_are_claimed_kept_and_moved_on_together(side: Side, clock: TurnedClock) -> None:
    ids = [side.make(name) for name in "abcd"]
    held = side.steps.claim(ids[0], side.first, MINUTE)
    assert held is not None
    side.steps.restart(ids[1], Step.LOOK_UP)
    claims = side.steps.claim_all([*ids, "nobody"], side.first, MINUTE)
    assert {claim.id for claim in claims} == set(ids[2:])
    assert all(claim.record == side.steps.get(claim.id) and claim.record.progress.tries == 1 for claim in claims)
    assert side.steps.claim_all(ids, side.first, MINUTE) == []
    clock.turn(seconds=50)
    assert side.steps.extend_all(claims, MINUTE)
    clock.turn(seconds=50)
    assert {claim.id for claim in side.steps.claim_all(ids, side.first, MINUTE)} == {ids[0]}, "its claim has lapsed"
    side.steps.restart(ids[2], side.first)
    assert [claim.id for claim in side.steps.go_on(claims, Step.INDEX, None)] == [ids[3]]
    assert [side.steps.get(id).progress.step for id in ids[2:]] == [side.first, Step.INDEX]
    assert not side.steps.extend_all(claims, MINUTE)
    assert side.steps.go_on([], Step.INDEX, None) == []


def test_of_many_workers_that_claim_the_same_records_together_each_record_goes_to_one(side: Side) -> None:
    ids = [side.make(name) for name in "abcdefgh"]
    claims = [claim for some in at_once(*[lambda: side.steps.claim_all(ids, side.first, MINUTE)] * 6) for claim in some]
    assert sorted(claim.id for claim in claims) == sorted(ids)


def test_a_lapsed_claim_that_nobody_took_may_still_be_finished(side: Side, clock: TurnedClock) -> None:
    claim = side.steps.claim(side.make("a"), side.first, MINUTE)
    assert claim is not None
    clock.turn(hours=1)
    assert side.steps.advance(claim, Step.INDEX)


def test_a_claim_that_is_extended_holds_for_longer(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    clock.turn(seconds=50)
    assert side.steps.extend_all([claim], MINUTE)
    clock.turn(seconds=50)
    assert side.steps.claim(id, side.first, MINUTE) is None
    assert side.steps.due(clock.now, 10) == []


def test_moving_on_makes_the_next_step_due_now_with_no_tries_and_ends_the_claim(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    now = clock.turn(seconds=5)
    assert side.steps.advance(claim, Step.INDEX)
    progress = side.steps.get(id).progress
    assert (progress.step, progress.due, progress.tries, progress.problem) == (Step.INDEX, now, 0, None)
    assert not side.steps.advance(claim, Step.LOOK_UP)
    assert side.steps.get(id).progress == progress


def test_a_restart_voids_the_claim(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    now = clock.turn(seconds=5)
    assert side.steps.restart(id, Step.LOOK_UP)
    assert not side.steps.advance(claim, Step.DONE)
    progress = side.steps.get(id).progress
    assert (progress.step, progress.due, progress.tries) == (Step.LOOK_UP, now, 0)
    assert side.steps.claim(id, Step.LOOK_UP, MINUTE) is not None


def test_a_restart_from_certain_steps_leaves_records_at_others_alone(side: Side) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    assert not side.steps.restart(id, Step.LOOK_UP, only_from={Step.DONE, Step.ALIGN})
    assert not side.steps.restart("nobody", Step.LOOK_UP)
    assert side.steps.advance(claim, Step.DONE)
    assert side.steps.restart(id, Step.LOOK_UP, only_from={Step.DONE, Step.ALIGN})
    assert side.steps.get(id).progress.step is Step.LOOK_UP


def test_many_records_are_restarted_together_and_those_at_other_steps_are_left_alone(
    side: Side, clock: TurnedClock
) -> None:
    done, held, first = side.make("a"), side.make("b"), side.make("c")
    for id in (done, held):
        claim = side.steps.claim(id, side.first, MINUTE)
        assert claim is not None
        assert side.steps.advance(claim, Step.DONE if id is done else Step.LOOK_UP)
    claim = side.steps.claim(held, Step.LOOK_UP, MINUTE)
    assert claim is not None
    now, before = clock.turn(seconds=5), side.steps.get(first).progress
    again = side.steps.restart_now([done, held, first, "nobody"], Step.LOOK_UP, only_from={Step.DONE, Step.LOOK_UP})
    assert sorted(again) == sorted([done, held])
    restarted = [side.steps.get(id).progress for id in again]
    assert {(progress.step, progress.due) for progress in restarted} == {(Step.LOOK_UP, now)}
    assert side.steps.get(first).progress == before
    assert not side.steps.advance(claim, Step.DONE), "the restart voids the claim"


def test_a_record_given_back_is_due_again_later_with_its_tries_and_its_problem(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    later = NOON + timedelta(minutes=5)
    side.steps.release(claim, due=later, problem=plain_message("Redis 没有回答 \ud800"))
    progress = side.steps.get(id).progress
    assert (progress.step, progress.due, progress.tries) == (side.first, later, 1)
    assert progress.problem == plain_message("Redis 没有回答 ?")
    assert not side.steps.advance(claim, Step.DONE)
    assert side.steps.due(clock.now, 10) == []
    assert side.steps.due(later, 10) == [(id, side.first)]
    again = side.steps.claim(id, side.first, MINUTE)
    assert again is not None
    assert again.record.progress.tries == 2


def test_a_record_given_back_for_an_outage_has_used_up_no_try(side: Side) -> None:
    id = side.make("a")
    for _ in range(3):
        claim = side.steps.claim(id, side.first, MINUTE)
        assert claim is not None
        assert claim.record.progress.tries == 1
        side.steps.release(claim, due=NOON, problem=plain_message("the server is away"), counts=False)
    assert side.steps.get(id).progress.tries == 0


def test_a_record_set_aside_keeps_its_step_and_reason_and_is_not_due(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, MINUTE)
    assert claim is not None
    told = plain_message("broken for good")
    side.steps.set_aside(claim, told)
    progress = side.steps.get(id).progress
    assert (progress.step, progress.failed_step, progress.problem) == (Step.SET_ASIDE, side.first, told)
    assert side.steps.due(clock.turn(days=9), 10) == []
    assert side.steps.set_aside_ids(10) == [id]
    assert side.steps.restart(id, side.first, only_from={Step.SET_ASIDE})
    assert side.steps.set_aside_ids(10) == []
    progress = side.steps.get(id).progress
    assert (progress.failed_step, progress.problem) == (None, None)


def test_due_are_the_unfinished_that_nobody_holds_the_oldest_first(side: Side, clock: TurnedClock) -> None:
    ids = []
    for name in "abcde":
        ids.append(side.make(name))
        clock.turn(minutes=1)
    held, done, early = ids[1], ids[2], ids[4]
    assert side.steps.claim(held, side.first, timedelta(hours=1))
    claim = side.steps.claim(done, side.first, MINUTE)
    assert claim is not None
    assert side.steps.advance(claim, Step.DONE)
    assert side.steps.restart(ids[0], Step.INDEX)  # due anew, later than d
    clock.turn(minutes=1)
    assert side.steps.due(clock.now, 10) == [(ids[3], side.first), (early, side.first), (ids[0], Step.INDEX)]
    assert side.steps.due(clock.now, 1) == [(ids[3], side.first)]
    assert side.steps.due(NOON + timedelta(minutes=3), 10) == [(ids[3], side.first)]


def test_a_lapsed_claim_makes_its_record_due(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    assert side.steps.claim(id, side.first, MINUTE)
    assert side.steps.due(clock.now, 10) == []
    assert side.steps.due(clock.turn(minutes=1), 10) == [(id, side.first)]


def test_what_is_in_the_queue_is_left_alone_until_then_but_may_be_claimed(side: Side, clock: TurnedClock) -> None:
    first, second = side.make("a"), side.make("b")
    until = NOON + timedelta(minutes=10)
    side.steps.mark_queued([first], until)
    assert side.steps.due(clock.now, 10) == [(second, side.first)]
    assert side.steps.claim(first, side.first, MINUTE)
    assert {id for id, _ in side.steps.due(until, 10)} == {first, second}


def test_queueing_a_record_does_not_shorten_its_pause_or_end_its_claim(side: Side, clock: TurnedClock) -> None:
    id = side.make("a")
    claim = side.steps.claim(id, side.first, timedelta(hours=1))
    assert claim is not None
    side.steps.mark_queued([id], NOON + MINUTE)
    assert side.steps.due(NOON + timedelta(minutes=2), 10) == []
    assert side.steps.advance(claim, Step.INDEX)


def test_records_are_counted_by_step(side: Side) -> None:
    ids = [side.make(name) for name in "abc"]
    side.steps.restart(ids[0], Step.DONE)
    assert side.steps.count_by_step() == {side.first: 2, Step.DONE: 1}


def test_what_has_a_step_before_it_is_counted(side: Side) -> None:
    ids = [side.make(name) for name in "abcde"]
    for id, step in zip(ids, (Step.DONE, Step.SET_ASIDE, Step.REMOVE, Step.LOOK_UP), strict=False):
        side.steps.restart(id, step)
    assert side.steps.count_unfinished() == 3


def test_a_record_that_moves_while_it_is_counted_is_not_missed(side: Side) -> None:
    """As a page does whose pictures were read: it goes back to the step that asked for them."""
    id, over = side.make("a"), threading.Event()

    def move() -> None:
        while not over.is_set():
            for step in (Step.REMOVE, Step.EXTRACT):
                side.steps.restart(id, step)

    with ThreadPoolExecutor() as thread:
        moving = thread.submit(move)
        try:
            counts = {side.steps.count_unfinished() for _ in range(300)}
        finally:
            over.set()
        moving.result()
    assert counts == {1}


def test_more_records_than_can_be_counted_quickly_are_told_by_the_servers_own_count(
    side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wenhen.steps.claims.MAX_COUNTED_RECORDS", 2)
    for name in "abcd":
        side.make(name)
    for name in ("e", "f", "g"):
        side.steps.restart(side.make(name), Step.DONE)
    assert side.steps.count_by_step() == {side.first: 4, Step.DONE: 3}
