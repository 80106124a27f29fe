"""A worker starts more processes while something waits, and lets them go when nothing does."""

import sys
from pathlib import Path

import psutil

from tests.support.commands.children import children_with
from tests.support.way import opened, wait_for
from wenhen.addresses import broker_url
from wenhen.celery_app import make_celery
from wenhen.child_environment import child_environment
from wenhen.embedded import Addresses
from wenhen.processes.supervise import Child, Supervisor
from wenhen.queue_names import WEBHOOKS

MOST = 3
WORKER = "tests.support.waiting_worker"
ROOT = Path(__file__).parents[2]


def processes() -> int:
    [worker] = [one for one in children_with(WORKER) if one.parent() == psutil.Process()]
    return len(worker.children())


def test_a_worker_has_more_processes_while_something_waits_too_long_and_one_when_nothing_does(
    servers: Addresses, tmp_path: Path
) -> None:
    with opened(servers, tmp_path, worker={"patience_seconds": 0.3, "idle_seconds": 2}) as app:
        queue = ("--queues", WEBHOOKS, "--autoscale", f"{MOST},1", "--without-gossip", "--without-mingle")
        celery = (sys.executable, "-m", "celery", "--app", WORKER, "--workdir", str(ROOT))
        worker = Child("worker", (*celery, "worker", *queue), child_environment(app.settings), tmp_path / "log")
        with Supervisor([worker], grace=5):
            wait_for(app.queue.workers, "the worker answers")
            assert processes() == 1
            assert app.settings.redis.url
            sender = make_celery(broker_url(app.settings.redis.url))
            for _ in range(2 * MOST):
                sender.send_task("wait", args=(2.5,), queue=WEBHOOKS)
            wait_for(lambda: processes() == MOST, "it has all that it may have")
            wait_for(lambda: processes() == 1, "it has let go what it does not need")
