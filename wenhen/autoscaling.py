"""How many processes a worker has: another one while something has waited too long, one fewer when nothing does."""

import time
from typing import Any, Final

from celery.worker import state
from celery.worker.autoscale import Autoscaler

from pipeline.setting_defaults import WorkerSettings
from store.errors import Unavailable
from wenhen.celery_queue import CeleryQueue
from wenhen.queue_names import SENT
from wenhen.settings import load

LOOK_SECONDS: Final = 1.0


def wanted(processes: int, waited: float, idle: float, rules: WorkerSettings) -> int:
    """How many processes there are to be, one more or one fewer at a time. waited: seconds that what waits longest has
    waited; idle: seconds in which nothing waited too long. The worker's own least and most are the caller's matter.

    >>> rules = WorkerSettings(patience_seconds=2, idle_seconds=120)
    >>> wanted(1, 2.5, 0, rules), wanted(2, 0.5, 0, rules), wanted(2, 0, 121, rules)
    (2, 2, 1)
    """
    if waited > rules.patience_seconds:
        return processes + 1
    return processes - 1 if idle > rules.idle_seconds else processes


class ByAge(Autoscaler):  # type: ignore[misc]  # Celery is untyped
    """Celery's autoscaler, by the age of the oldest message instead of by how many a worker has reserved: calls for
    workers say nothing of how much waits, and a long crawl is one message.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs, keepalive=LOOK_SECONDS)
        settings = load()
        assert settings.redis.url
        self._rules = settings.worker
        self._queue = CeleryQueue(settings.redis.url)
        self._changed_at = self._waited_at = self._looked_at = time.monotonic()

    def _maybe_scale(self, *_: Any) -> bool:
        """Called at each message and every LOOK_SECONDS; true where the number of processes was changed."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS / 2:
            return False
        self._looked_at = now
        waited = self._waited()
        if waited > self._rules.patience_seconds:
            self._waited_at = now
        # A process that has just been started has not taken what waits yet, and one that goes is not missed at once.
        since = self._changed_at
        aim = wanted(self.processes, min(waited, now - since), now - max(self._waited_at, since), self._rules)
        return self._become(max(self.min_concurrency, min(aim, self.max_concurrency)))

    def _become(self, processes: int) -> bool:
        more = processes - self.processes
        if more > 0:
            self._grow(more)
        elif more < 0:
            self._shrink(-more)
        else:
            return False
        self._changed_at = time.monotonic()
        return True

    def _waited(self) -> float:
        """Seconds that what waits longest has waited, in a queue of this worker or with it while no process is free."""
        served = set(self.worker.app.amqp.queues.consume_from)
        try:
            came = [at.timestamp() for name, at in self._queue.oldest().items() if name in served]
        except Unavailable:
            return 0.0  # the worker's own connection tells of it
        reserved = state.reserved_requests - state.active_requests
        came += [sent for one in reserved if (sent := one.request_dict.get(SENT))]
        return max(0.0, time.time() - min(came)) if came else 0.0
