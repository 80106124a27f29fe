"""A worker starts more processes while something waits, and lets them go when nothing does."""

from pathlib import Path

from tests.support.commands.a_worker import QUEUE, a_worker, pool
from tests.support.way import opened, wait_for
from wenhen.embedded import Addresses

MOST = 3


def test_a_worker_has_more_processes_while_something_waits_too_long_and_one_when_nothing_does(
    servers: Addresses, tmp_path: Path
) -> None:
    pace = {"patience_seconds": 0.3, "idle_seconds": 2}
    with opened(servers, tmp_path, worker=pace) as app, a_worker(app, tmp_path / "log", MOST) as sender:
        assert len(pool()) == 1
        for _ in range(2 * MOST):
            sender.send_task("wait", args=(2.5,), queue=QUEUE)
        wait_for(lambda: len(pool()) == MOST, "it has all that it may have")
        wait_for(lambda: len(pool()) == 1, "it has let go what it does not need")
