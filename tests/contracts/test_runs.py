"""Runs can be looked up, and those whose process died are ended."""

from datetime import timedelta

import pytest

from store.errors import NotFound
from store.ports import Store
from store.records import RunKind
from tests.contracts.samples import NOON

MINUTE = timedelta(minutes=1)


def test_a_run_is_started_beats_and_ends(store: Store) -> None:
    run = store.runs.start(RunKind.CRAWL, "s1", NOON)
    assert run == store.runs.get(run.id)
    assert (run.kind, run.subject, run.ended_at, dict(run.counts)) == (RunKind.CRAWL, "s1", None, {})
    store.runs.beat(run.id, NOON + MINUTE, {"pages": 3, "downloader/response_status_count/200": 1, "a.b$": 2})
    beaten = store.runs.get(run.id)
    assert beaten.heartbeat_at == NOON + MINUTE
    assert dict(beaten.counts) == {"pages": 3, "downloader/response_status_count/200": 1, "a.b$": 2}
    store.runs.end(run.id, NOON + 2 * MINUTE, {"pages": 4}, "stopped")
    ended = store.runs.get(run.id)
    assert (ended.ended_at, dict(ended.counts), ended.problem) == (NOON + 2 * MINUTE, {"pages": 4}, "stopped")
    store.runs.beat(run.id, NOON + 3 * MINUTE, {"pages": 9})
    assert store.runs.get(run.id) == ended


def test_a_run_that_is_not_there_is_not_found(store: Store) -> None:
    with pytest.raises(NotFound, match="r9"):
        store.runs.get("r9")


def test_recent_runs_come_newest_first_and_by_kind(store: Store) -> None:
    crawl = store.runs.start(RunKind.CRAWL, "s1", NOON)
    rematch = store.runs.start(RunKind.REMATCH, None, NOON + MINUTE)
    assert [one.id for one in store.runs.recent()] == [rematch.id, crawl.id]
    assert store.runs.recent(kind=RunKind.CRAWL) == [crawl]
    assert store.runs.recent(limit=1) == [rematch]


def test_runs_without_a_sign_of_life_end_with_the_reason_and_the_others_go_on(store: Store) -> None:
    lost = store.runs.start(RunKind.CRAWL, "lost", NOON)
    store.runs.beat(lost.id, NOON + MINUTE, {"pages": 2})
    alive = store.runs.start(RunKind.CRAWL, "alive", NOON + 2 * MINUTE)
    ended = store.runs.start(RunKind.CRAWL, "ended", NOON)
    store.runs.end(ended.id, NOON, {}, None)
    assert store.runs.end_lost(NOON + 2 * MINUTE) == 1
    found = store.runs.get(lost.id)
    assert (found.ended_at, dict(found.counts)) == (NOON + MINUTE, {"pages": 2})
    assert found.problem is not None
    assert "no sign of life" in found.problem
    assert store.runs.get(alive.id).ended_at is None
    assert store.runs.get(ended.id).problem is None
    assert store.runs.end_lost(NOON + 2 * MINUTE) == 0
