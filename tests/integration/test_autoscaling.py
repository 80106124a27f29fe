"""A worker starts more processes while something waits, and lets them go when nothing does."""

from pathlib import Path

import pytest
from celery import Celery

from tests.support.commands.a_worker import QUEUE, a_worker, pool
from tests.support.way import opened, wait_for
from wenhen.runtime.embedded.servers import ServerAddresses

MOST = 3
SECONDS = 30  # of a busy machine

pytestmark = pytest.mark.usefixtures("nursery")


def test_a_worker_has_more_processes_while_something_waits_too_long_and_one_when_nothing_does(
    servers: ServerAddresses, tmp_path: Path
) -> None:
    pace = {"patience_seconds": 0.3, "idle_seconds": 2}
    with opened(servers, tmp_path, worker=pace) as app, a_worker(app, tmp_path / "log", MOST) as sender:
        assert len(pool()) == 1
        for _ in range(2 * MOST):
            sender.send_task("wait", args=(2.5,), queue=QUEUE)
        wait_for(lambda: len(pool()) == MOST, "it has all that it may have")
        wait_for(lambda: len(pool()) == 1, "it has let go what it does not need")


def test_processes_that_take_long_to_end_are_each_let_go_once(servers: ServerAddresses, tmp_path: Path) -> None:
    pace = {"patience_seconds": 0.3, "idle_seconds": 1}
    with opened(servers, tmp_path, worker=pace) as app, a_worker(app, tmp_path / "log", MOST) as sender:
        sender.control.autoscale(MOST, MOST, reply=True)
        begun = [tmp_path / str(number) for number in range(MOST)]
        for each in begun:
            sender.send_task("wait", args=(2.5, str(each)), queue=QUEUE)
        wait_for(lambda: all(each.exists() for each in begun), "all processes are at work")
        wait_for(lambda: not _at_work(sender), "and have done it")
        processes = pool()
        for process in processes:
            process.suspend()
        sender.control.autoscale(MOST, 1, reply=True)
        wait_for(lambda: _processes_by(sender) == 1, "it has asked all but one to end")
        for process in processes:
            process.resume()
        wait_for(lambda: len(pool()) == 1, "they have ended", seconds=SECONDS)


def _at_work(sender: Celery) -> list[object]:
    [tasks] = sender.control.inspect(timeout=SECONDS, limit=1).active().values()
    return list(tasks)


def _processes_by(sender: Celery) -> int:
    """How many processes the worker believes to have."""
    [answer] = sender.control.inspect(timeout=SECONDS, limit=1).stats().values()
    return int(answer["autoscaler"]["current"])
