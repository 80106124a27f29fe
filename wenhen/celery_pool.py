"""Celery's pool of processes, which forgets a killed one wholly and lets each go once."""

from collections.abc import Iterator
from typing import Any

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool


class ForgettingPool(AsynPool):  # type: ignore[misc]  # Celery is untyped
    """A process that is killed in a task has its pipes closed and replaced, but Celery (5.7) still knows where its
    results came from: by the number of a descriptor that a new pipe may take. Once the broker was away, the worker
    listens there again, reads the tasks that it has just sent to a process, and stands still for ever.
    """

    def destroy_queues(self, queues: Any, proc: Any) -> Any:
        """Close the pipes of a process that is dead."""
        if self._fileno_to_outq.get(proc.outqR_fd) is proc:
            del self._fileno_to_outq[proc.outqR_fd]
        return super().destroy_queues(queues, proc)

    def _iterinactive(self) -> Iterator[Any]:
        """Of the processes without a task those that were not yet asked to end. Asked again, one that takes its time
        (a second at least, by billiard 4.3) would count for two, and another one stay for ever.
        """
        return (one for one in super()._iterinactive() if not one._controlled_termination)


class ForgettingTaskPool(TaskPool):  # type: ignore[misc]  # Celery is untyped
    """`prefork` with such a pool."""

    Pool = ForgettingPool
