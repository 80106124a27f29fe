"""Runs can be looked up, and those whose process died are ended."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from tests.support.samples import NOON, at_once
from wenhen.context.store_and_queue import Store
from wenhen.crawls.model import Run, RunKind, RunState
from wenhen.kit.errors import Conflict, Message, NotFound, plain_message
from wenhen.kit.progress import Subject, SubjectKind

MINUTE = timedelta(minutes=1)
STOPPED = Message("crawls.not_now", {"id": "s1", "state": Message("crawls.paused"), "minutes": 2})
WORKS = Subject(SubjectKind.INDEX, "work")


def test_a_run_is_started_beats_and_ends(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON)
    assert run == store.runs.get(run.id)
    assert (run.kind, str(run.subject), run.ended_at, dict(run.counts)) == (RunKind.CRAWL, "s1", None, {})
    store.runs.beat(run.id, NOON + MINUTE, {"pages": 3, "downloader/response_status_count/200": 1, "a.b$": 2})
    beaten = store.runs.get(run.id)
    assert beaten.heartbeat_at == NOON + MINUTE
    assert dict(beaten.counts) == {"pages": 3, "downloader/response_status_count/200": 1, "a.b$": 2}
    store.runs.end(run.id, NOON + 2 * MINUTE, {"pages": 4}, STOPPED)
    ended = store.runs.get(run.id)
    assert (ended.ended_at, dict(ended.counts), ended.problem) == (NOON + 2 * MINUTE, {"pages": 4}, STOPPED)
    assert beaten.crawled_seconds == 30, "a silence of a minute was work for as long as it may have been"
    assert ended.crawled_seconds == 60
    store.runs.beat(run.id, NOON + 3 * MINUTE, {"pages": 9})
    assert store.runs.get(run.id) == ended


def test_a_run_that_is_not_there_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="r9"):
        store.runs.get("r9")


def test_recent_runs_come_newest_first_and_by_kind(store: Store) -> None:
    crawl = store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON)
    rematch = store.runs.start(RunKind.REMATCH, None, NOON + MINUTE)
    assert [one.id for one in store.runs.recent()] == [rematch.id, crawl.id]
    assert store.runs.recent(kind=RunKind.CRAWL) == [crawl]
    assert store.runs.recent(limit=1) == [rematch]
    assert store.runs.recent(kind=RunKind.CRAWL, subject=Subject.read("s1")) == [crawl]
    assert store.runs.recent(subject=Subject.read("s2")) == []


def test_a_sole_run_is_the_only_one_of_its_subject_until_it_ends(store: Store) -> None:
    started = at_once(*[partial(_start, store)] * 8)
    (run,) = [one for one in started if one is not None]
    assert store.runs.active(RunKind.CRAWL) == [run]
    assert store.runs.start(RunKind.CRAWL, Subject.read("other"), NOON, sole=True)
    store.runs.end(run.id, NOON, {})
    again = _start(store)
    assert again is not None
    assert [str(one.subject) for one in store.runs.active(RunKind.CRAWL)] == ["other", "s1"]
    assert store.runs.end_lost(RunKind.CRAWL, NOON + MINUTE) == 2
    assert _start(store)


def test_a_run_is_started_once_for_a_due_time(store: Store) -> None:
    run = _start(store, due=NOON)
    assert run is not None
    assert store.runs.get(run.id).due == NOON
    store.runs.end(run.id, NOON, {})
    assert _start(store, due=NOON) is None
    assert _start(store, due=NOON + MINUTE)


def _start(store: Store, due: datetime | None = None) -> Run | None:
    try:
        return store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON, sole=True, due=due)
    except Conflict:
        return None


def test_a_run_is_put_from_one_state_into_another_and_not_from_a_third(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON, state=RunState.WAITING)
    assert not store.runs.move(run.id, {RunState.GOING, RunState.PAUSED}, RunState.STOPPING, NOON)
    assert store.runs.move(run.id, {RunState.WAITING}, RunState.RESTING, NOON + MINUTE, resume_at=NOON + 9 * MINUTE)
    moved = store.runs.get(run.id)
    assert (moved.state, moved.heartbeat_at, moved.resume_at) == (
        RunState.RESTING,
        NOON + MINUTE,
        NOON + 9 * MINUTE,
    )
    assert store.runs.move(run.id, {RunState.RESTING}, RunState.GOING, NOON)
    assert store.runs.get(run.id).resume_at is None
    store.runs.end(run.id, NOON, {"fetched": 1})
    assert not store.runs.move(run.id, {RunState.GOING}, RunState.PAUSED, NOON)
    store.runs.end(run.id, NOON + MINUTE, {}, plain_message("later"))
    assert store.runs.get(run.id).counts == {"fetched": 1}


def test_a_silent_run_is_taken_once_and_not_when_it_gave_a_sign_of_life_since(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, None, NOON)
    assert store.runs.take_silent(run.id, run.heartbeat_at, NOON + MINUTE)
    assert not store.runs.take_silent(run.id, run.heartbeat_at, NOON + MINUTE)
    store.runs.end(run.id, NOON + MINUTE, {})
    assert not store.runs.take_silent(run.id, NOON + MINUTE, NOON + 2 * MINUTE)


def test_losses_are_counted(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON)
    store.runs.lose(run.id, NOON + MINUTE)
    assert store.runs.lose(run.id, NOON + MINUTE).losses == 2
    with pytest.raises(NotFound):
        store.runs.lose("r9", NOON)


def test_runs_without_a_sign_of_life_end_with_the_reason_and_the_others_go_on(store: Store) -> None:
    lost = store.runs.start(RunKind.CRAWL, Subject.read("lost"), NOON)
    store.runs.beat(lost.id, NOON + MINUTE, {"pages": 2})
    alive = store.runs.start(RunKind.CRAWL, Subject.read("alive"), NOON + 2 * MINUTE)
    ended = store.runs.start(RunKind.CRAWL, Subject.read("ended"), NOON)
    store.runs.end(ended.id, NOON, {}, None)
    other = store.runs.start(RunKind.REBUILD, WORKS, NOON)
    assert store.runs.end_lost(RunKind.CRAWL, NOON + 2 * MINUTE) == 1
    found = store.runs.get(lost.id)
    assert (found.ended_at, dict(found.counts)) == (NOON + MINUTE, {"pages": 2})
    assert found.problem is not None
    assert "no sign of life" in str(found.problem)
    assert store.runs.get(alive.id).ended_at is None
    assert store.runs.get(ended.id).problem is None
    assert store.runs.get(other.id).ended_at is None
    assert store.runs.end_lost(RunKind.CRAWL, NOON + 2 * MINUTE) == 0


def test_what_a_run_was_of_comes_back_as_it_was_told_apart(store: Store) -> None:
    for kind, subject in (
        (RunKind.CRAWL, Subject(SubjectKind.SITE, "work")),
        (RunKind.CRAWL, Subject(SubjectKind.ADDRESS, "http://s1.example/a")),
        (RunKind.CRAWL, Subject(SubjectKind.BATCH, "7f3a")),
        (RunKind.REBUILD, WORKS),
        (RunKind.REMATCH, None),
    ):
        run = store.runs.start(kind, subject, NOON)
        assert store.runs.get(run.id).subject == subject
        assert run in store.runs.recent(kind=kind, subject=subject)


def test_the_time_in_which_a_run_waits_is_no_work(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, Subject.read("s1"), NOON, state=RunState.WAITING)
    store.runs.move(run.id, {RunState.WAITING}, RunState.GOING, NOON + 5 * MINUTE)
    store.runs.beat(run.id, NOON + 5 * MINUTE + timedelta(seconds=2), {})
    store.runs.move(run.id, {RunState.GOING}, RunState.PAUSED, NOON + 6 * MINUTE)
    store.runs.end(run.id, NOON + 9 * MINUTE, {}, noticed=[STOPPED])
    store.runs.set_looks(run.id, ["head", "nav"], {"zh": 3, "": 1})
    ended = store.runs.get(run.id)
    assert (ended.crawled_seconds, ended.noticed, ended.template) == (2, (STOPPED,), ("head", "nav"))
    assert dict(ended.languages) == {"zh": 3, "": 1}
