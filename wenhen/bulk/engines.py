"""Run the tasks of a bulk job in this process or on a Dask cluster."""

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Protocol, TypeVar

from wenhen.kit.errors import SetupError, Unavailable, WenhenError

# The engine port, and an engine in this process.


T = TypeVar("T")


class Engine(Protocol):
    """Runs a module-level function on picklable tasks, in any order, on any machine."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """Yield each task with its result when it is done, or with its `WenhenError` if it failed.

        Any other exception ends the run.
        """

    def close(self) -> None: ...


class LocalEngine:
    """Runs the tasks one after the other in this process."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        for task in tasks:
            yield task, run_task(function, task)

    def close(self) -> None:
        pass


def run_task(function: Callable[[T], Any], task: T) -> Any:
    """Return the result of a task, or its `WenhenError`."""
    try:
        return function(task)
    except WenhenError as error:
        return error


# Dask behind the port: a cluster of processes on this machine, or an existing cluster. Dask was chosen over Ray after a
# trial on the same tasks. It starts in a quarter of the processor time, takes a fifth of the memory besides the
# workers, and installs in a tenth of the disk space (docs/bulk.md).


QUEUED_TASKS_PER_WORKER = 2  # tasks that wait at each worker, so that no worker is idle


class DaskEngine:
    """Runs tasks on Dask.

    - workers: processes to start on this machine.
    - scheduler: address of an existing cluster to use instead.
    """

    def __init__(self, workers: int, scheduler: str | None = None) -> None:
        try:
            import dask
            import distributed
        except ImportError as error:
            raise SetupError("bulk.extra", error=error) from error
        self._dask: Any = distributed  # the package has no types
        self._cluster = None
        if scheduler is None:
            # The processes of Dask open HTTP ports by default; nothing here uses them.
            dask.config.set({f"distributed.{who}.http.routes": [] for who in ("scheduler", "nanny", "worker")})
            # Other users of this machine could otherwise submit tasks to the workers. TLS uses keys of this run.
            self._cluster = self._dask.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                memory_limit=0,
                protocol="tls://",
                security=True,
                silence_logs=logging.ERROR,
            )
        try:
            self._client = self._dask.Client(self._cluster or scheduler)
        except (OSError, TimeoutError) as error:
            raise Unavailable("bulk.silent", url=scheduler, error=error) from error

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        left = iter(tasks)
        waiting: dict[Any, T] = {}

        def submit_next(count: int) -> list[Any]:
            new = {self._submit(function, task): task for task in islice(left, count)}
            waiting.update(new)
            return list(new)

        running = self._dask.as_completed(
            submit_next(QUEUED_TASKS_PER_WORKER * max(1, len(self._client.scheduler_info()["workers"])))
        )
        for future in running:
            yield waiting.pop(future), self._result(future)
            future.release()
            running.update(submit_next(1))

    def _submit(self, function: Callable[[T], Any], task: T) -> Any:
        return self._client.submit(run_task, function, task, pure=False)

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except self._dask.scheduler.KilledWorker as error:  # the task killed several workers in turn
            return Unavailable("bulk.died", error=type(error).__name__)

    def close(self) -> None:
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
