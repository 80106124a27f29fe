"""A clock that stands still is noticed, and one that dies is started again."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import redis

from tests.support.commands.children import children_with
from tests.support.way import QUEUES, opened, wait_for
from wenhen.operations.health import check_health
from wenhen.pipeline.daily_schedule import run_schedule
from wenhen.pipeline.reconciler import reconcile
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.processes.supervisor import Supervisor
from wenhen.runtime.processes.workers import worker_children
from wenhen.runtime.wiring import App
from wenhen.steps.duties import scheduler_alarm
from wenhen.steps.fair_queue import UPKEEP_QUEUE


@pytest.fixture
def app(servers: ServerAddresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path, worker={"sweep_seconds": 1}) as product:
        yield product


def later(app: App, **time: float) -> App:
    now = app.now() + timedelta(**time)
    return replace(app, now=lambda: now)


def test_a_clock_that_ticks_is_well_and_one_that_stopped_is_an_alarm_with_its_minutes(app: App) -> None:
    run_schedule(app)
    reconcile(app)
    assert scheduler_alarm(later(app, minutes=2)) is None
    assert check_health(later(app, minutes=2))["clock"].answers
    stopped = check_health(later(app, minutes=7))["clock"]
    assert not stopped.answers
    assert "7 minutes" in stopped.detail


def test_a_clock_that_never_ticked_is_awaited_for_a_while_and_then_an_alarm(app: App) -> None:
    assert scheduler_alarm(app) is None
    assert "never" not in check_health(app)["clock"].detail
    assert "sweep was ever made" in str(scheduler_alarm(later(app, minutes=4)))


def test_ticks_without_sweeps_are_an_alarm_as_well(app: App) -> None:
    reconcile(app)
    run_schedule(later(app, minutes=9))
    assert "no sweep has ended for 10 minutes" in str(scheduler_alarm(later(app, minutes=10)))


def test_a_clock_that_is_killed_is_started_again_and_goes_on_sending(app: App, servers: ServerAddresses) -> None:
    """It is a child of its own: before, it was one of the worker's, and nobody missed it."""
    [beat] = [child for child in worker_children(app) if child.name == "clock"]
    queue = redis.Redis.from_url(f"{servers.redis_url}?db={QUEUES}")
    said: list[str] = []

    with Supervisor([beat], grace=5, pauses=(0.1, 1.0), say=said.append):
        wait_for(lambda: queue.llen(UPKEEP_QUEUE), "the clock sends")
        children_with("beat")[0].kill()
        wait_for(lambda: said, "its death is noticed")
        queue.delete(UPKEEP_QUEUE)
        wait_for(lambda: queue.llen(UPKEEP_QUEUE), "another sends again")
    assert "clock ended by itself" in said[0]
