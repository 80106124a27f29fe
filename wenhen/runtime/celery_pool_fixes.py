"""Repair two faults of Celery's process pool, by private names of Celery and billiard.

Both stand in Celery 5.7.0 and billiard 4.3.2. Each repair names the release after which it goes. With the last one this
file goes too, and with it `worker_pool` in `wenhen.runtime.celery_app`.
"""

from collections.abc import Iterator
from typing import Any

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool


class DescriptorSafePool(AsynPool):  # type: ignore[misc]  # Celery is untyped
    """Celery's pool, with its two faults repaired."""

    def destroy_queues(self, queues: Any, proc: Any) -> Any:
        """Close the pipes of a process that is dead, and forget where its results came from.

        A process that is killed in a task has its pipes closed and replaced. Celery keeps the descriptor's number in
        `_fileno_to_outq`, and a new pipe may take this number. Once the broker was away, the worker listens there
        again, reads the tasks that it has just sent to a process, and stands still for ever.

        Near to it: https://github.com/celery/celery/issues/4457. Its change only catches the error of a number that
        is closed. Goes with the release after 5.7.0 in which Celery's own `destroy_queues` drops the number.
        """
        if self._fileno_to_outq.get(proc.outqR_fd) is proc:
            del self._fileno_to_outq[proc.outqR_fd]
        return super().destroy_queues(queues, proc)

    def _iterinactive(self) -> Iterator[Any]:
        """Of the processes without a task those that were not yet asked to end.

        `shrink` of billiard asks the first ones of the pool. Asked again, one that takes its time (a second at least)
        would count for two, and another one stay for ever.

        No report is known. Goes with the release after 4.3.2 in which billiard's `shrink` passes over the processes
        that `terminate_controlled` has marked.
        """
        return (process for process in super()._iterinactive() if not process._controlled_termination)


class DescriptorSafeTaskPool(TaskPool):  # type: ignore[misc]  # Celery is untyped
    """`prefork` with such a pool."""

    Pool = DescriptorSafePool
