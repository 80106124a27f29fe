"""Celery workers as child processes: for `up`, for `demo`, and for a command that finds none running."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

from pipeline.library.unfinished import unfinished
from services.clock import SWEEP
from store.private_files import make_private
from wenhen.celery_queue import ALL, BEAT_VARIABLE, CRAWL, EVIDENCE, MATCH, TEXT, UPKEEP, WEBHOOKS
from wenhen.child_environment import child_environment, python
from wenhen.processes.supervise import Child, Supervisor
from wenhen.wiring import App

POLL_SECONDS = 0.2
LOOK_SECONDS = 10  # how often a command that waits sees to it that somebody works

Progress = Callable[[int, int], None]


def worker_children(app: App, *, beat: bool, schedule: bool = True) -> list[Child]:
    """The workers of one machine: texts and matches, crawls, upkeep; and the clock, if `beat`.

    schedule: the clock also starts what is due by the hour, not only what was left unfinished.
    """
    pools = {
        "worker": ((TEXT, MATCH), app.settings.worker.concurrency),
        "crawler": ((CRAWL,), 1),
        # A long rebuild and receivers or authorities that do not answer must not hold up the sweep.
        "upkeep": ((UPKEEP, WEBHOOKS, EVIDENCE), 3),
    }
    environment = {**child_environment(app.settings), **({} if schedule else {BEAT_VARIABLE: SWEEP})}
    celery = (*python("wenhen.processes.program", "celery"), "--quiet")
    log = app.settings.data / "log"
    make_private(log)
    workers = [
        Child(
            name=name,
            argv=(
                *(*celery, "worker"),
                *("--queues", ",".join(queues), "--concurrency", str(processes), "--hostname", f"{name}@%h"),
                *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
            ),
            env=environment,
            log=log / f"{name}.log",
        )
        for name, (queues, processes) in pools.items()
    ]
    if not beat:
        return workers
    # A child of its own, so that it is started again when it dies.
    clock = (*celery, "beat", "--schedule", str(log / "beat"), "--pidfile", "", "--loglevel", "WARNING")
    return [*workers, Child(name="clock", argv=clock, env=environment, log=log / "clock.log")]


def work_off(app: App, progress: Progress | None = None) -> None:
    """Wait until no work or page has a step before it, with workers of our own where none run.

    Those that run may belong to another command and end with it; then ours take over. Raises `Unavailable` when a
    server goes away meanwhile; what is left is worked off by the next who waits.
    """
    with ExitStack() as stack:
        own, look_at = False, 0.0
        for _ in _until_idle(app, progress):
            if time.monotonic() < look_at:
                continue
            if own:
                app.queue.ping()
            elif not _served(app):
                stack.enter_context(Supervisor(worker_children(app, beat=True, schedule=False), together=True))
                own = True
            look_at = time.monotonic() + LOOK_SECONDS


def wait_until_idle(app: App, progress: Progress | None = None) -> None:
    """Return when every work and page is done or set aside, and no crawl waits or runs."""
    for _ in _until_idle(app, progress):
        pass


def _until_idle(app: App, progress: Progress | None) -> Iterator[None]:
    """One turn after the other for as long as there is work."""
    from services.crawls.runs import active_crawls

    most = 0
    while left := unfinished(app) + len(active_crawls(app)):
        most = max(most, left)
        if progress:
            progress(most - left, most)
        yield
        time.sleep(POLL_SECONDS)
    if progress and most:
        progress(most, most)


def _served(app: App) -> bool:
    return {queue for queues in app.queue.workers().values() for queue in queues} >= set(ALL)
