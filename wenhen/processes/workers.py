"""Celery workers as child processes: for `up`, for `demo`, and for a command that finds none running."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from pipeline.library.unfinished import unfinished
from services.clock import SWEEP
from store.private_files import make_private
from wenhen.child_environment import child_environment, python
from wenhen.processes.supervise import Child, Supervisor
from wenhen.queue_names import BEAT_VARIABLE, CRAWL, EVIDENCE, MATCH, TEXT, UPKEEP, WEBHOOKS
from wenhen.wiring import App

POLL_SECONDS = 0.2
_HOUSE: Final = frozenset({TEXT, MATCH, UPKEEP, WEBHOOKS})  # what a command needs that fetches nothing
LOOK_SECONDS = 10  # how often a command that waits sees to it that somebody works

Progress = Callable[[int, int], None]


def worker_children(app: App, *, beat: bool, schedule: bool = True) -> list[Child]:
    """The workers of one machine: texts and matches, crawls, upkeep; and the clock, if `beat`.

    schedule: the clock also starts what is due by the hour, not only what was left unfinished.
    """
    make_private(_log(app))
    workers = [
        _worker(app, "worker", (TEXT, MATCH), app.settings.worker.concurrency),
        _worker(app, "crawler", (CRAWL,), 1),
        # A long rebuild, receivers and authorities that do not answer must not hold up the sweep.
        _worker(app, "upkeep", (UPKEEP, WEBHOOKS, EVIDENCE), 3),
    ]
    if not beat:
        return workers
    environment = {**child_environment(app.settings), **({} if schedule else {BEAT_VARIABLE: SWEEP})}
    # A child of its own, so that it is started again when it dies.
    arguments = ("beat", "--schedule", str(_log(app) / "beat"), "--pidfile", "", "--loglevel", "WARNING")
    return [*workers, Child("clock", (*_celery(), *arguments), environment, _log(app) / "clock.log")]


def _worker(app: App, name: str, queues: Sequence[str], processes: int) -> Child:
    arguments = (
        *("worker", "--queues", ",".join(queues), "--concurrency", str(processes), "--hostname", f"{name}@%h"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    )
    return Child(name, (*_celery(), *arguments), child_environment(app.settings), _log(app) / f"{name}.log")


def _celery() -> tuple[str, ...]:
    return *python("wenhen.processes.program", "celery"), "--quiet"


def _log(app: App) -> Path:
    return app.settings.data / "log"


def work_off(app: App, progress: Progress | None = None) -> None:
    """Wait until no work or page has a step before it, with workers of our own where none run.

    Those that run may belong to another command and end with it; then ours take over. Raises `Unavailable` when a
    server goes away meanwhile; what is left is worked off by the next who waits.
    """
    with ExitStack() as stack:
        own = _Own(app, stack)
        for _ in _until_idle(app, progress):
            own.look_after()


class _Own:
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
            self._look_at = time.monotonic() + LOOK_SECONDS
        if self._served and now >= self._sweep_at:
            self._app.queue.sweep()
            self._sweep_at = now + self._app.settings.worker.sweep_seconds

    def _look(self) -> None:
        missing = _asked_for(self._app) - self._served
        if not missing:
            self._app.queue.ping()
            return
        missing -= _served_by_others(self._app)
        children = []
        if missing & _HOUSE:
            children.append(_worker(self._app, "worker", sorted(_HOUSE), self._app.settings.worker.concurrency + 1))
            self._served |= _HOUSE
        if CRAWL in missing:
            children.append(_worker(self._app, "crawler", (CRAWL,), 1))
            self._served.add(CRAWL)
        if children:
            make_private(_log(self._app))
            self._stack.enter_context(Supervisor(children, together=True))


def _asked_for(app: App) -> set[str]:
    from services.crawls.runs import active_crawls

    return {*_HOUSE, CRAWL} if active_crawls(app) else set(_HOUSE)


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


def _served_by_others(app: App) -> set[str]:
    return {queue for queues in app.queue.workers().values() for queue in queues}
