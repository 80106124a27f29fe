"""A clock that stands still is noticed, and one that dies is started again."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import redis

from services.upkeep import clock_alarm
from services.upkeep.health import health
from tests.support.commands.children import children_with
from tests.support.way import QUEUES, opened, wait_for
from wenhen.embedded import Addresses
from wenhen.processes.supervise import Supervisor
from wenhen.processes.workers import worker_children
from wenhen.queue_names import UPKEEP
from wenhen.schedule import tick
from wenhen.sweep import sweep
from wenhen.wiring import App


@pytest.fixture
def app(servers: Addresses, tmp_path: Path) -> Iterator[App]:
    with opened(servers, tmp_path, worker={"sweep_seconds": 1}) as product:
        yield product


def later(app: App, **time: float) -> App:
    now = app.now() + timedelta(**time)
    return replace(app, now=lambda: now)


def test_a_clock_that_ticks_is_well_and_one_that_stopped_is_an_alarm_with_its_minutes(app: App) -> None:
    tick(app)
    sweep(app)
    assert clock_alarm.alarm(later(app, minutes=2)) is None
    assert health(later(app, minutes=2))["clock"].answers
    stopped = health(later(app, minutes=7))["clock"]
    assert not stopped.answers
    assert "7 minutes" in stopped.detail


def test_a_clock_that_never_ticked_is_awaited_for_a_while_and_then_an_alarm(app: App) -> None:
    assert clock_alarm.alarm(app) is None
    assert "never" not in health(app)["clock"].detail
    assert "sweep was ever made" in str(clock_alarm.alarm(later(app, minutes=4)))


def test_ticks_without_sweeps_are_an_alarm_as_well(app: App) -> None:
    sweep(app)
    tick(later(app, minutes=9))
    assert "no sweep has ended for 10 minutes" in str(clock_alarm.alarm(later(app, minutes=10)))


def test_a_clock_that_is_killed_is_started_again_and_goes_on_sending(app: App, servers: Addresses) -> None:
    """It is a child of its own: before, it was one of the worker's, and nobody missed it."""
    [beat] = [child for child in worker_children(app) if child.name == "clock"]
    queue = redis.Redis.from_url(f"{servers.redis_url}?db={QUEUES}")
    said: list[str] = []

    with Supervisor([beat], grace=5, pauses=(0.1, 1.0), say=said.append):
        wait_for(lambda: queue.llen(UPKEEP), "the clock sends")
        children_with("beat")[0].kill()
        wait_for(lambda: said, "its death is noticed")
        queue.delete(UPKEEP)
        wait_for(lambda: queue.llen(UPKEEP), "another sends again")
    assert "clock ended by itself" in said[0]
