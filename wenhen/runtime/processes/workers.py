"""Start Celery workers and their metrics exporter, and wait until the queues are empty."""

import shutil
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Self

import psutil

from wenhen.kit.files import make_private_folder
from wenhen.kit.python_process import COMPILING, python_command, told_compiled
from wenhen.kit.telemetry import METRICS_FOLDER_VARIABLE
from wenhen.matching.rematch import count_unfinished, count_unprotected
from wenhen.runtime.embedded.data_folder import is_compiling
from wenhen.runtime.processes.supervisor import Child, Supervisor, print_to_stderr
from wenhen.runtime.settings_sources import BEAT_TASKS_VARIABLE, METRICS_PORT_VARIABLE, child_environment
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

CRAWLER_BYTES: Final = 600_000_000  # memory of a crawl


def max_parallel_crawls(sites: int | None) -> int:
    """Return how many sites are crawled in parallel: the given number, or as many as fit in memory.

    Crawls mostly wait for their hosts, so there may be several per processor.
    """
    if sites is not None:
        return sites
    room = psutil.virtual_memory().available // CRAWLER_BYTES
    return max(1, min(4 * (psutil.cpu_count() or 1), room))


# Celery workers as child processes: all of one machine, or those that a command needs.


def worker_children(app: App, *, schedule: bool = True) -> list[Child]:
    """Return the workers of one machine (texts and matches, crawls, pictures, upkeep) and the scheduler.

    schedule: the scheduler also sends scheduled tasks, not only the reconciler. Workers run at low priority, because
    people wait for the dashboard and the servers.
    """
    make_private_folder(_log_folder(app))
    workers = [
        _worker_child(app, "worker", (TEXT_QUEUE, MATCH_QUEUE), app.settings.worker.concurrency),
        _worker_child(app, "crawler", (CRAWL_QUEUE,), max_parallel_crawls(app.settings.crawler.sites)),
        _worker_child(app, "pictures", (PICTURE_QUEUE,), 1),
        # A long rebuild, or a slow receiver or authority, must not delay the reconciler.
        _worker_child(app, "upkeep", (UPKEEP_QUEUE, WEBHOOK_QUEUE, EVIDENCE_QUEUE), 3),
    ]
    workers = [replace(worker, niceness=app.settings.worker.niceness) for worker in workers]
    environment = {**child_environment(app.settings), **({} if schedule else {BEAT_TASKS_VARIABLE: SWEEP_DUTY})}
    # A child of its own, so that it is restarted when it dies.
    arguments = ("beat", "--schedule", str(_log_folder(app) / "beat"), "--pidfile", "", "--loglevel", "WARNING")
    return [*workers, Child("clock", (*_celery_command(), *arguments), environment, _log_folder(app) / "clock.log")]


def command_workers(app: App, queues: Collection[str]) -> list[Child]:
    """Return the workers for queues that nobody serves: one worker for all but crawls, which take long.

    It begins with all processes for steps, because the command waits for them.
    """
    make_private_folder(_log_folder(app))
    short, most = sorted({*queues} - {CRAWL_QUEUE}), app.settings.worker.concurrency
    children = [_worker_child(app, "worker", short, most + 1, least=most)] if short else []
    return [*children, _worker_child(app, "crawler", (CRAWL_QUEUE,), 1)] if CRAWL_QUEUE in queues else children


def _worker_child(app: App, name: str, queues: Sequence[str], most: int, *, least: int = 1) -> Child:
    """Return a worker. most, least: numbers of its processes (`wenhen.runtime.celery_worker`)."""
    least = min(most, max(least, app.settings.worker.least))
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
    """Return the children with a metrics exporter before them, on `metrics.port` and the following ports.

    With port 0, only the children are returned.
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
    """Give a child its metrics port and an empty folder: counts begin anew, as Prometheus expects."""
    folder = app.settings.data / "figures" / child.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    port = str(app.settings.metrics.port + number)
    return replace(child, env={**child.env, METRICS_PORT_VARIABLE: port, METRICS_FOLDER_VARIABLE: str(folder)})


IDLE_POLL_SECONDS = 0.2
MAX_POLL_SECONDS = 1.0  # between counts of many works, which take long
WORKER_CHECK_SECONDS = 10  # seconds between checks that workers run
_SHORT_QUEUES: Final = frozenset(
    {TEXT_QUEUE, MATCH_QUEUE, PICTURE_QUEUE, UPKEEP_QUEUE, WEBHOOK_QUEUE}
)  # queues of a command that fetches nothing

ProgressCallback = Callable[[int, int], None]


class CompilingNotice:
    """Tells people who wait for workers that one of them compiles machine code first, and when that is done."""

    def __init__(self, data: Path, say: Callable[[str], object] = print_to_stderr) -> None:
        self._data, self._say = data, say
        self._began: float | None = None

    def look(self) -> None:
        """Look whether a worker of the data folder compiles, and say what has changed."""
        compiling = is_compiling(self._data)
        if compiling and self._began is None:
            self._began = time.monotonic()
            self._say(COMPILING)
        elif not compiling and self._began is not None:
            self._say(told_compiled(time.monotonic() - self._began))
            self._began = None


def drain_queues(
    app: App,
    progress: ProgressCallback | None = None,
    tell_protected: Callable[[], None] | None = None,
    workers: "CommandWorkers | None" = None,
) -> None:
    """Wait until no work or page has a step to run. Start workers if none run.

    Running workers may belong to another command and end with it, and are then replaced. Raises `Unavailable` if a
    server stops. The next call continues with what is left.

    tell_protected: called when every work is fingerprinted and indexed. Until then, `progress` counts these works only.
    workers: workers that the command may have started before.
    """
    with CommandWorkers(app) if workers is None else nullcontext(workers) as own:
        if tell_protected:
            for _ in _poll_until_none_left(partial(count_unprotected, app), progress):
                own.look_after()
            tell_protected()
        for _ in _poll_until_idle(app, progress):
            own.look_after()


class CommandWorkers:
    """The workers of a waiting command: only those that it needs. The command itself is their scheduler.

    They are started by `look_after`, and end with the block.
    """

    def __init__(self, app: App) -> None:
        self._app, self._stack = app, ExitStack()
        self._served: set[str] = set()  # queues that our workers serve
        self._look_at = self._sweep_at = 0.0
        self._compiling = CompilingNotice(app.settings.data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def look_after(self) -> None:
        """Start missing workers, and send the reconciler when it is due. Raises `Unavailable`."""
        now = time.monotonic()
        self._compiling.look()
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
            missing |= _SHORT_QUEUES  # one process serves them all
        if missing:
            self._served |= missing
            self._stack.enter_context(Supervisor(command_workers(self._app, missing)))


def _needed_queues(app: App) -> set[str]:
    from wenhen.crawls.service import active_crawls

    return {*_SHORT_QUEUES, CRAWL_QUEUE} if active_crawls(app) else set(_SHORT_QUEUES)


def wait_until_idle(app: App) -> None:
    """Return when every work and page is done or set aside, and no crawl waits or runs."""
    compiling = CompilingNotice(app.settings.data)
    for _ in _poll_until_idle(app):
        compiling.look()


def _poll_until_idle(app: App, progress: ProgressCallback | None = None) -> Iterator[None]:
    """Yield repeatedly while there is work."""
    from wenhen.crawls.service import active_crawls

    # Crawls first: the pages that a crawl stores last are unfinished when it ends.
    return _poll_until_none_left(lambda: len(active_crawls(app)) + count_unfinished(app), progress)


def _poll_until_none_left(count_left: Callable[[], int], progress: ProgressCallback | None) -> Iterator[None]:
    most, began = 0, time.monotonic()
    while left := count_left():
        counting_seconds = time.monotonic() - began
        most = max(most, left)
        if progress:
            progress(most - left, most)
        yield
        time.sleep(max(IDLE_POLL_SECONDS, min(MAX_POLL_SECONDS, 10 * counting_seconds)))
        began = time.monotonic()
    if progress and most:
        progress(most, most)


def _served_queues(app: App) -> set[str]:
    return {queue for queues in app.queue.workers().values() for queue in queues}
