"""What runs the tasks of a job: a port, and this process itself behind it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from store.errors import WenhenError

T = TypeVar("T")


class Engine(Protocol):
    """Runs a function of a module, given as such, on tasks that can be pickled, in any order, on any machine."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        """Each task as it is done, with what came of it; a task that failed with its `WenhenError`. What else goes
        wrong ends the run.
        """

    def close(self) -> None: ...


class ThisProcess:
    """One task after the other, here."""

    def run(self, function: Callable[[T], Any], tasks: Iterable[T]) -> Iterator[tuple[T, Any]]:
        for task in tasks:
            yield task, outcome(function, task)

    def close(self) -> None:
        pass


def outcome(function: Callable[[T], Any], task: T) -> Any:
    """What comes of a task; its error, where that is one of ours."""
    try:
        return function(task)
    except WenhenError as error:
        return error
