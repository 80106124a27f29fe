"""Waiting until the work is done, with workers of our own where none run."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Final

from pipeline.library.steps_left import unfinished
from wenhen.processes.supervise import Supervisor
from wenhen.processes.workers import own_workers
from wenhen.queue_names import CRAWL, MATCH, PICTURES, TEXT, UPKEEP, WEBHOOKS
from wenhen.wiring import App

POLL_SECONDS = 0.2
LOOK_SECONDS = 10  # how often a command that waits sees to it that somebody works
_SHORT: Final = frozenset({TEXT, MATCH, PICTURES, UPKEEP, WEBHOOKS})  # what a command needs that fetches nothing

Progress = Callable[[int, int], None]


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
        if missing & _SHORT:
            missing |= _SHORT  # which one process serves
        if missing:
            self._served |= missing
            self._stack.enter_context(Supervisor(own_workers(self._app, missing)))


def _asked_for(app: App) -> set[str]:
    from services.crawls.runs import active_crawls

    return {*_SHORT, CRAWL} if active_crawls(app) else set(_SHORT)


def wait_until_idle(app: App) -> None:
    """Return when every work and page is done or set aside, and no crawl waits or runs."""
    for _ in _until_idle(app):
        pass


def _until_idle(app: App, progress: Progress | None = None) -> Iterator[None]:
    """One turn after the other for as long as there is work."""
    from services.crawls.runs import active_crawls

    most = 0
    # Crawls first: what one stores last is unfinished when it has ended.
    while left := len(active_crawls(app)) + unfinished(app):
        most = max(most, left)
        if progress:
            progress(most - left, most)
        yield
        time.sleep(POLL_SECONDS)
    if progress and most:
        progress(most, most)


def _served_by_others(app: App) -> set[str]:
    return {queue for queues in app.queue.workers().values() for queue in queues}
