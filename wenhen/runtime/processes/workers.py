"""Start Celery workers and their metrics exporter, and wait until the queues are empty."""

import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import psutil

from wenhen.kit.files import make_private_folder
from wenhen.kit.python_process import python_command
from wenhen.kit.telemetry import METRICS_FOLDER_VARIABLE
from wenhen.matching.rematch import count_unfinished
from wenhen.runtime.processes.supervisor import Child, Supervisor
from wenhen.runtime.settings import BEAT_TASKS_VARIABLE, METRICS_PORT_VARIABLE, child_environment
from wenhen.runtime.wiring import App
from wenhen.steps.duties import SWEEP_DUTY
from wenhen.steps.fair_queue import (
    CRAWL_QUEUE,
    EVIDENCE_QUEUE,
    MATCH_QUEUE,
    PICTURE_QUEUE,
    TEXT_QUEUE,
    UPKEEP_QUEUE,
    WEBHOOK_QUEUE,
)

CRAWLER_BYTES: Final = 600_000_000  # what a crawl takes while others have the rest of the machine


def max_parallel_crawls(sites: int | None) -> int:
    """How many sites are crawled at a time: as many as were asked for, or as many as there is room for. A crawl waits
    for its hosts most of the time.
    """
    if sites is not None:
        return sites
    room = psutil.virtual_memory().available // CRAWLER_BYTES
    return max(1, min(4 * (psutil.cpu_count() or 1), room))


# Celery workers as child processes: all of one machine, or those that one command asks for.


def worker_children(app: App, *, schedule: bool = True) -> list[Child]:
    """The workers of one machine: texts and matches, crawls, upkeep; and the clock.

    schedule: the clock also starts what is due by the hour, not only what was left unfinished. All but the clock leave
    the processor to the dashboard and the servers, for which people wait.
    """
    make_private_folder(_log_folder(app))
    workers = [
        _worker_child(app, "worker", (TEXT_QUEUE, MATCH_QUEUE), app.settings.worker.concurrency),
        _worker_child(app, "crawler", (CRAWL_QUEUE,), max_parallel_crawls(app.settings.crawler.sites)),
        _worker_child(app, "pictures", (PICTURE_QUEUE,), 1),
        # A long rebuild, receivers and authorities that do not answer must not hold up the sweep.
        _worker_child(app, "upkeep", (UPKEEP_QUEUE, WEBHOOK_QUEUE, EVIDENCE_QUEUE), 3),
    ]
    workers = [replace(worker, niceness=app.settings.worker.niceness) for worker in workers]
    environment = {**child_environment(app.settings), **({} if schedule else {BEAT_TASKS_VARIABLE: SWEEP_DUTY})}
    # A child of its own, so that it is started again when it dies.
    arguments = ("beat", "--schedule", str(_log_folder(app) / "beat"), "--pidfile", "", "--loglevel", "WARNING")
    return [*workers, Child("clock", (*_celery_command(), *arguments), environment, _log_folder(app) / "clock.log")]


def command_workers(app: App, queues: Collection[str]) -> list[Child]:
    """What a command starts that finds nobody at these queues: one process for all but crawls, which take long."""
    make_private_folder(_log_folder(app))
    short = sorted({*queues} - {CRAWL_QUEUE})
    children = [_worker_child(app, "worker", short, app.settings.worker.concurrency + 1)] if short else []
    return [*children, _worker_child(app, "crawler", (CRAWL_QUEUE,), 1)] if CRAWL_QUEUE in queues else children


def _worker_child(app: App, name: str, queues: Sequence[str], most: int) -> Child:
    """most: processes that it may have (`wenhen.runtime.celery_worker`)."""
    least = min(most, app.settings.worker.least)
    arguments = (
        *("worker", "--queues", ",".join(queues), "--autoscale", f"{most},{least}", "--hostname", f"{name}@%h"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    )
    return Child(
        name, (*_celery_command(), *arguments), child_environment(app.settings), _log_folder(app) / f"{name}.log"
    )


def _celery_command() -> tuple[str, ...]:
    return *python_command("wenhen.pipeline.isolated_program", "celery"), "--quiet"


def _log_folder(app: App) -> Path:
    return app.settings.data / "log"


def add_metrics_exporter(app: App, children: Sequence[Child]) -> list[Child]:
    """The children, and before them the one that tells of the whole, on `metrics.port` and the ports after it; with
    port 0 the children alone.
    """
    if not app.settings.metrics.port:
        return list(children)
    exporter = Child(
        name="metrics",
        argv=python_command("wenhen.runtime.processes.metrics_exporter"),
        env=child_environment(app.settings),
        log=app.settings.data / "log" / "metrics.log",
    )
    return [_with_metrics_port(app, child, number) for number, child in enumerate([exporter, *children])]


def _with_metrics_port(app: App, child: Child, number: int) -> Child:
    """What the processes of before counted is over with them: rates begin anew, as Prometheus expects it."""
    folder = app.settings.data / "figures" / child.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = str(app.settings.metrics.port + number)
    return replace(child, env={**child.env, METRICS_PORT_VARIABLE: port, METRICS_FOLDER_VARIABLE: str(folder)})


IDLE_POLL_SECONDS = 0.2
WORKER_CHECK_SECONDS = 10  # how often a command that waits sees to it that somebody works
_SHORT_QUEUES: Final = frozenset(
    {TEXT_QUEUE, MATCH_QUEUE, PICTURE_QUEUE, UPKEEP_QUEUE, WEBHOOK_QUEUE}
)  # what a command needs that fetches nothing

ProgressCallback = Callable[[int, int], None]


def drain_queues(app: App, progress: ProgressCallback | None = None) -> None:
    """Wait until no work or page has a step before it, with workers of our own where none run.

    Those that run may belong to another command and end with it; then ours take over. Raises `Unavailable` when a
    server goes away meanwhile; what is left is worked off by the next who waits.
    """
    with ExitStack() as stack:
        own = _CommandWorkers(app, stack)
        for _ in _poll_until_idle(app, progress):
            own.look_after()


class _CommandWorkers:
    """The workers of a command that waits: only those that its work asks for; the command itself is their clock."""

    def __init__(self, app: App, stack: ExitStack) -> None:
        self._app, self._stack = app, stack
        self._served: set[str] = set()  # queues that workers of ours serve
        self._look_at = self._sweep_at = 0.0

    def look_after(self) -> None:
        """Start what is missing, and send the sweep when it is due. Raises `Unavailable`."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look()
            self._look_at = time.monotonic() + WORKER_CHECK_SECONDS
        if self._served and now >= self._sweep_at:
            self._app.queue.sweep()
            self._sweep_at = now + self._app.settings.worker.sweep_seconds

    def _look(self) -> None:
        missing = _needed_queues(self._app) - self._served
        if not missing:
            self._app.queue.ping()
            return
        missing -= _served_queues(self._app)
        if missing & _SHORT_QUEUES:
            missing |= _SHORT_QUEUES  # which one process serves
        if missing:
            self._served |= missing
            self._stack.enter_context(Supervisor(command_workers(self._app, missing)))


def _needed_queues(app: App) -> set[str]:
    from wenhen.crawls.service import active_crawls

    return {*_SHORT_QUEUES, CRAWL_QUEUE} if active_crawls(app) else set(_SHORT_QUEUES)


def wait_until_idle(app: App) -> None:
    """Return when every work and page is done or set aside, and no crawl waits or runs."""
    for _ in _poll_until_idle(app):
        pass


def _poll_until_idle(app: App, progress: ProgressCallback | None = None) -> Iterator[None]:
    """One turn after the other for as long as there is work."""
    from wenhen.crawls.service import active_crawls

    most = 0
    # Crawls first: what one stores last is unfinished when it has ended.
    while left := len(active_crawls(app)) + count_unfinished(app):
        most = max(most, left)
        if progress:
            progress(most - left, most)
        yield
        time.sleep(IDLE_POLL_SECONDS)
    if progress and most:
        progress(most, most)


def _served_queues(app: App) -> set[str]:
    return {queue for queues in app.queue.workers().values() for queue in queues}
