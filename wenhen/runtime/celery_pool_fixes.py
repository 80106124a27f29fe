"""Work around two bugs of Celery's process pool, through private names of Celery and billiard.

Both are in Celery 5.7.0 and billiard 4.3.2. Each workaround names the release after which it can be removed. This file
and `worker_pool` in `wenhen.runtime.celery_app` are removed with the last one.
"""

from collections.abc import Iterator
from typing import Any

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool


class DescriptorSafePool(AsynPool):  # type: ignore[misc]  # Celery is untyped
    """Celery's pool without the two bugs."""

    def destroy_queues(self, queues: Any, proc: Any) -> Any:
        """Close the pipes of a dead process, and forget the file descriptor of its results.

        Celery closes and replaces the pipes of a process that is killed in a task, but keeps the descriptor in
        `_fileno_to_outq`. A new pipe may reuse the number. After a lost broker connection, the worker then reads from
        it the tasks that it has just sent to a process, and hangs for ever.

        A related issue is https://github.com/celery/celery/issues/4457. Its fix only catches the error of a closed
        descriptor. Remove this after the first release after 5.7.0 in which `destroy_queues` of Celery deletes the
        descriptor.
        """
        if self._fileno_to_outq.get(proc.outqR_fd) is proc:
            del self._fileno_to_outq[proc.outqR_fd]
        return super().destroy_queues(queues, proc)

    def _iterinactive(self) -> Iterator[Any]:
        """Yield the idle processes that were not yet asked to stop.

        `shrink` of billiard asks the first idle processes of the pool. A process needs at least a second to stop. Asked
        again, it would count twice, and another process would stay for ever.

        No report is known. Remove this after the first release after 4.3.2 in which `shrink` of billiard skips the
        processes that `terminate_controlled` has marked.
        """
        return (process for process in super()._iterinactive() if not process._controlled_termination)


class DescriptorSafeTaskPool(TaskPool):  # type: ignore[misc]  # Celery is untyped
    """The `prefork` pool with these workarounds."""

    Pool = DescriptorSafePool
