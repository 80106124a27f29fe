"""Celery workers as child processes: for `up`, for `demo`, and for a command that finds none running."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from store.records import Step
from wenhen.app import App
from wenhen.queues import ALL, CRAWL, MATCH, TEXT, UPKEEP
from wenhen.supervise import Child, Supervisor
from wenhen.wiring import worker_environment

POLL_SECONDS = 0.2


def worker_children(app: App, *, beat: bool) -> list[Child]:
    """The workers of one machine: texts and matches, crawls, upkeep (with the clock, if `beat`)."""
    pools = {
        "worker": ((TEXT, MATCH), app.settings.worker.concurrency),
        "crawler": ((CRAWL,), 1),
        "upkeep": ((UPKEEP,), 1),
    }
    environment = worker_environment(app.settings)
    log = app.settings.data / "log"
    log.mkdir(parents=True, exist_ok=True)
    return [
        Child(
            name=name,
            argv=(
                *(sys.executable, "-m", "celery", "--app", "wenhen.pipeline:celery", "worker"),
                *("--queues", ",".join(queues), "--concurrency", str(processes), "--hostname", f"{name}@%h"),
                *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
                *(("--beat", "--schedule", str(log / "beat")) if beat and name == "upkeep" else ()),
            ),
            env=environment,
            log=log / f"{name}.log",
        )
        for name, (queues, processes) in pools.items()
    ]


def work_off(app: App, progress: Callable[[int, int], None] | None = None) -> None:
    """Wait until no work or page has a step before it, with workers of our own where none run."""
    with workers(app):
        wait_until_idle(app, progress)


@contextmanager
def workers(app: App) -> Iterator[None]:
    """Workers for the block: the ones that run, or our own."""
    served = {queue for queues in app.queue.workers().values() for queue in queues}
    with nullcontext() if served >= set(ALL) else Supervisor(worker_children(app, beat=True)):
        yield


def wait_until_idle(app: App, progress: Callable[[int, int], None] | None = None) -> None:
    """Return when every work and page is done or set aside, and no crawl waits or runs."""
    from wenhen.crawling import active_crawls

    most = 0
    while True:
        left = unfinished(app) + len(active_crawls(app))
        most = max(most, left)
        if progress and most:
            progress(most - left, most)
        if not left:
            return
        time.sleep(POLL_SECONDS)


def unfinished(app: App) -> int:
    """Works and pages that have a step before them."""
    return sum(
        count
        for records in (app.store.works, app.store.pages)
        for step, count in records.count_by_step().items()
        if step not in (Step.DONE, Step.SET_ASIDE)
    )
