"""Scale the process pool of a Celery worker."""

import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from celery.worker import state
from celery.worker.autoscale import Autoscaler

from wenhen.kit.errors import Unavailable
from wenhen.runtime.celery_queue import CeleryQueue
from wenhen.runtime.settings_sources import load_settings
from wenhen.settings.workers_and_schedule import WorkerSettings
from wenhen.steps.fair_queue import SENT_HEADER

logger = logging.getLogger(__name__)

# Autoscaling of worker processes: one more while something waits too long, one fewer when nothing does.


SCALING_SECONDS: Final = 1.0


def target_processes(processes: int, waited: float, held: int, idle: float, rules: WorkerSettings) -> int:
    """Return how many processes the worker should have, regardless of its own minimum and maximum.

    - waited: seconds that the oldest entry has waited.
    - held: messages that the worker has taken, and for which it has no process. No other worker can take them.
    - idle: seconds in which nothing waited too long.
    >>> rules = WorkerSettings(patience_seconds=2, idle_seconds=120)
    >>> [target_processes(1, 2.5, held, 0, rules) for held in (0, 5)], target_processes(2, 0.5, 1, 0, rules)
    ([2, 6], 2)
    >>> target_processes(2, 0, 0, 121, rules)
    1
    """
    if waited > rules.patience_seconds:
        return processes + max(1, held)
    return processes - 1 if idle > rules.idle_seconds else processes


class QueueAgeAutoscaler(Autoscaler):  # type: ignore[misc]  # Celery is untyped
    """Celery's autoscaler by the age of the oldest message, instead of the number of reserved messages.

    The number says little: messages of step queues do not count the waiting records, and a long crawl is one message.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs, keepalive=SCALING_SECONDS)
        settings = load_settings()
        assert settings.redis.url
        self._rules = settings.worker
        self._queue = CeleryQueue(settings.redis.url)
        self._changed_at = self._waited_at = self._looked_at = time.monotonic()

    def maybe_scale(self, *_: Any) -> None:
        """Adapt the number of processes. Celery calls this at each message, and every SCALING_SECONDS."""
        if self._scale():
            self.pool.maintain_pool()

    def _scale(self) -> bool:
        """Return True if the number of processes was changed."""
        now = time.monotonic()
        if now - self._looked_at < SCALING_SECONDS / 2:
            return False
        self._looked_at = now
        held = [request.request_dict for request in state.reserved_requests - state.active_requests]
        waited = self._longest_wait(held)
        if waited > self._rules.patience_seconds:
            self._waited_at = now
        # A new process has not taken waiting tasks yet, and the effect of a stopped one is not visible at once.
        since = self._changed_at
        idle = now - max(self._waited_at, since)
        aim = target_processes(self.processes, min(waited, now - since), len(held), idle, self._rules)
        return self._become(max(self.min_concurrency, min(aim, self.max_concurrency)))

    def _become(self, processes: int) -> bool:
        more = processes - self.processes
        if more == 0:
            return False
        logger.info("Scaling to %s processes.", processes)
        if more > 0:
            self.pool.grow(more)
        else:
            self._end_processes(-more)
        self._changed_at = time.monotonic()
        return True

    def _end_processes(self, count: int) -> None:
        try:
            self.pool.shrink(count)
        except ValueError:
            logger.debug("Too few processes are without a task.")
        except Exception:  # whatever prevents it, the worker continues
            logger.exception("The pool cannot be made smaller")

    def _longest_wait(self, held: Sequence[Mapping[str, Any]]) -> float:
        """Return the longest wait, in seconds, in the queues of this worker and among held messages (given as
        headers).
        """
        served = set(self.worker.app.amqp.queues.consume_from)
        try:
            came = [sent_at.timestamp() for name, sent_at in self._queue.oldest().items() if name in served]
        except Unavailable:
            return 0.0  # the connection of the worker itself reports it
        came += [headers[SENT_HEADER] for headers in held if SENT_HEADER in headers]
        return max(0.0, time.time() - min(came)) if came else 0.0
