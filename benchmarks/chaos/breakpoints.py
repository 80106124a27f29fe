"""Stop a worker in the middle of a pipeline step, so that a fault strikes there.

An order is a file that names a step and a message: "page align 3". The next process at that step takes the order by
renaming the file. It stops itself (SIGSTOP) at the third message that it exchanges with a server there, or at the end
of the step. Partial work of a step lies between two such messages.
"""

import os
import signal
import threading
from collections.abc import Callable, MutableMapping
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import psutil
from pymongo import monitoring
from redis.connection import AbstractConnection

from wenhen.kit.progress import OwnerKind, Step

ORDER_FILE: Final = "halt"
P = ParamSpec("P")
R = TypeVar("R")


class HaltOrders:
    """Orders to the workers of one deployment, one at a time. folder: where they look for orders."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def order(self, kind: OwnerKind, step: Step, word: int) -> None:
        """Order the next process at this step to stop there. This replaces the order before."""
        self.withdraw()
        written = self._folder / "order"
        written.write_text(f"{kind} {step} {word}")
        written.rename(self._folder / ORDER_FILE)

    def withdraw(self) -> None:
        """Withdraw the order."""
        for path in self._folder.glob(f"{ORDER_FILE}*"):
            path.unlink(missing_ok=True)

    def find_taker(self) -> psutil.Process | None:
        """Return the living process that took the order, or None."""
        for path in self._folder.glob(f"{ORDER_FILE}.*"):
            try:
                return psutil.Process(int(path.suffix[1:]))
            except psutil.NoSuchProcess:
                return None
        return None

    def is_waiting(self) -> bool:
        """Return whether no process has taken the order."""
        return (self._folder / ORDER_FILE).exists()


class _ThreadState(threading.local):
    left: int | None = None  # messages until this thread stops its process, None without an order


_THREAD_STATE: Final = _ThreadState()


def install_breakpoints(
    folder: Path, *tables: MutableMapping[OwnerKind, MutableMapping[Step, Callable[..., Any]]]
) -> None:
    """Make this process look for orders at each step of these tables. Call it before a server is connected."""
    monitoring.register(_MongoMessageListener())
    for name in ("send_packed_command", "read_response"):
        setattr(AbstractConnection, name, _count_calls(getattr(AbstractConnection, name)))
    for kind, works in (entry for table in tables for entry in table.items()):
        for step, work in works.items():
            works[step] = _wrap_step(folder, kind, step, work)


def _wrap_step(folder: Path, kind: OwnerKind, step: Step, work: Callable[P, R]) -> Callable[P, R]:
    @wraps(work)
    def run_step(*args: P.args, **kwargs: P.kwargs) -> R:
        _THREAD_STATE.left = _take_order(folder / ORDER_FILE, f"{kind} {step}")
        _count_message()
        try:
            return work(*args, **kwargs)
        finally:
            if _THREAD_STATE.left is not None:
                _stop_process()

    return run_step


def _take_order(order: Path, place: str) -> int | None:
    """Take the order for this step. Return its message number, or None if there is none, or another process took it."""
    try:
        asked, _, word = order.read_text().rpartition(" ")
        if asked != place:
            return None
        order.rename(order.with_suffix(f".{os.getpid()}"))
    except FileNotFoundError:
        return None
    return int(word)


def _count_message() -> None:
    if _THREAD_STATE.left is None:
        return
    _THREAD_STATE.left -= 1
    if _THREAD_STATE.left < 0:
        _stop_process()


def _stop_process() -> None:
    _THREAD_STATE.left = None
    os.kill(os.getpid(), signal.SIGSTOP)


def _count_calls(method: Callable[P, R]) -> Callable[P, R]:
    @wraps(method)
    def count_call(*args: P.args, **kwargs: P.kwargs) -> R:
        _count_message()
        return method(*args, **kwargs)

    return count_call


class _MongoMessageListener(monitoring.CommandListener):
    """Counts a message before and after each command."""

    def started(self, event: monitoring.CommandStartedEvent) -> None:  # noqa: ARG002
        _count_message()

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:  # noqa: ARG002
        _count_message()

    def failed(self, event: monitoring.CommandFailedEvent) -> None:  # noqa: ARG002
        _count_message()
