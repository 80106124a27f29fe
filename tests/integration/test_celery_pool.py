"""A worker whose process was killed in the middle of a task goes on, also when its broker was away since."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import redis
from celery import Celery
from kombu import pools

from tests.support.commands.a_worker import QUEUE, a_worker, pool
from tests.support.way import opened, wait_for
from wenhen.runtime.embedded.servers import ServerAddresses
from wenhen.runtime.wiring import App

TASKS = 4

pytestmark = pytest.mark.usefixtures("nursery")


LONG = 5  # seconds
PACE = {"patience_seconds": 0.3}  # until there is another process


def test_a_worker_goes_on_after_a_process_was_killed_in_a_task_and_its_broker_was_away(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path, worker=PACE) as app, a_worker(app, tmp_path / "log", 2) as sender:
        tasks = Tasks(sender, tmp_path)
        wait_for(tasks.begun("first", 1).exists, "it is at a task")
        # The next process's pipes take these descriptors, and those of the process after it such as the dead one had.
        sender.control.broadcast("close_spare", reply=True)
        pool()[0].kill()
        wait_for(tasks.begun("second", 2).exists, "another process was started")
        wait_for(tasks.begun("third").exists, "and one more")
        assert sender.control.broadcast("dead", reply=True) == [{"celery@vm": 0}]
        cut(app)
        for number in range(TASKS):
            wait_for(tasks.begun(f"after {number}").exists, "it goes on", seconds=LONG)


def test_a_process_that_is_started_after_the_broker_was_away_takes_its_part(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path, worker=PACE) as app, a_worker(app, tmp_path / "log", 2) as sender:
        tasks = Tasks(sender, tmp_path)
        cut(app)
        wait_for(tasks.begun("first", LONG).exists, "it is back")
        wait_for(tasks.begun("second").exists, "another process is at a task beside it", seconds=LONG - 1)


class Tasks(NamedTuple):
    """What is sent to the worker."""

    sender: Celery
    folder: Path

    def begun(self, name: str, seconds: float = 0) -> Path:
        """Send a task that takes so long; the file that is there once it has begun."""
        self.sender.send_task("wait", args=(seconds, str(self.folder / name)), queue=QUEUE)
        return self.folder / name


def cut(app: App) -> None:
    """All connections to the broker."""
    assert app.settings.redis.url
    with redis.Redis.from_url(app.settings.redis.url) as broker:
        for kind in ("normal", "pubsub"):
            broker.client_kill_filter(_type=kind, skipme=True)


@pytest.fixture(autouse=True)
def fresh_connections() -> Iterator[None]:
    """Those of this process are cut as well."""
    yield
    pools.reset()  # type: ignore[no-untyped-call]
