"""A worker with one kind of task, which only takes its time, and the processes of its pool."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from celery import Celery

from tests.support.commands.children import children_with
from tests.support.way import wait_for
from wenhen.runtime.celery_app import make_celery
from wenhen.runtime.processes.supervisor import Child, Supervisor
from wenhen.runtime.settings_sources import child_environment
from wenhen.runtime.wiring import App
from wenhen.settings.servers_and_logs import broker_url
from wenhen.steps.fair_queue import WEBHOOK_QUEUE

QUEUE = WEBHOOK_QUEUE
_WORKER = "tests.support.waiting_worker"
_ROOT = Path(__file__).parents[3]


@contextmanager
def a_worker(app: App, log: Path, most: int) -> Iterator[Celery]:
    """Begins with one process and has `most` where it needs them, for the block; who sends it tasks."""
    queue = ("--queues", QUEUE, "--autoscale", f"{most},1", "--without-gossip", "--without-mingle")
    celery = (sys.executable, "-m", "celery", "--app", _WORKER, "--workdir", str(_ROOT))
    worker = Child("worker", (*celery, "worker", *queue), child_environment(app.settings), log)
    with Supervisor([worker], grace=5):
        wait_for(app.queue.workers, "the worker answers")
        assert app.settings.redis.url
        yield make_celery(broker_url(app.settings.redis.url))


def pool() -> list[psutil.Process]:
    """The processes of the worker that this one started."""
    [worker] = [one for one in children_with(_WORKER) if one.parent() == psutil.Process()]
    return worker.children()
