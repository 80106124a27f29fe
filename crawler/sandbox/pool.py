"""Start child processes, reuse them, and end those that exceed their limits."""

import atexit
import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

from crawler.sandbox import child_process
from crawler.sandbox.child_process import RESULT_FAILED, RESULT_ITEM, RESULT_REFUSED
from crawler.sandbox.protocol import MEBIBYTE, BadFrame, ReadingBounds, read_frame
from wenhen.kit import errors
from wenhen.kit.errors import BadInput, Unreadable, WenhenError

CHILD_ENVIRONMENT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "TZ")


def spawn_child(*modules: str) -> "subprocess.Popen[bytes]":
    """A child that waits for work; `modules` it imports before."""
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-m", child_process.__name__, *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={name: os.environ[name] for name in CHILD_ENVIRONMENT_VARIABLES if name in os.environ},
        cwd=os.sep,  # the folder of whoever starts it may go while it waits, and libraries ask where they are
        process_group=0,  # Ctrl-C reaches us alone; of our session, so that it gives way as we do
    )


def close_pipes(process: "subprocess.Popen[bytes]") -> None:
    """Close our ends of its pipes, so that it ends with its last parent."""
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe:
                pipe.close()


def explain_death(status: int | None, bounds: ReadingBounds) -> Unreadable:
    """Why a reading gave nothing, by the status with which its child ended; None: it did not."""
    if status is None:
        return Unreadable("reading.failed", error="no answer")
    if status == -signal.SIGPROF:
        return Unreadable("reading.too_long", seconds=round(bounds.seconds))
    if status < 0:
        return Unreadable("reading.killed", signal=signal.Signals(-status).name, memory=bounds.memory)
    return Unreadable("reading.failed", error=f"exit status {status}")


def error_from_child(kind: str, *told: Any) -> WenhenError | None:
    """What a child says of how a reading ended, as an error; None where it ended well."""
    if kind == RESULT_REFUSED:
        name, message = told
        found = getattr(errors, name, None)
        known = found if isinstance(found, type) and issubclass(found, WenhenError) else BadInput
        return known(message.code, **message.figures)
    if kind == RESULT_FAILED:
        return Unreadable("reading.failed", error=str(told[0]))
    return None


# The parent's end: children that are kept for the next reading, and ended when they go beyond its bounds.


MAX_IDLE_CHILDREN = 2  # children that are kept; each takes some 60 MB
MAX_READINGS_PER_CHILD = 2_000  # of one child: what libraries leak stays small
CHILD_EXIT_SECONDS = 5  # seconds for a child to end by itself


def read_in_child(function: str, *arguments: object, bounds: ReadingBounds) -> Any:
    """What a function, named as in "package.module:function", makes of foreign bytes. Raises what it raises of
    `WenhenError`, and `Unreadable` where it fails otherwise or goes beyond the bounds.
    """
    result = None
    for one in read_each_in_child(function, *arguments, bounds=bounds):
        result = one
    return result


def read_each_in_child(function: str, *arguments: object, bounds: ReadingBounds) -> Generator[Any, None, None]:
    """The same of a function that yields: each result as it comes; what came before a failure was good."""
    child = _CHILD_POOL.borrow()
    whole = False
    try:
        yield from child.results(function, arguments, bounds)
        whole = True
    except WenhenError as error:
        whole = not isinstance(error, Unreadable)
        raise
    finally:
        _CHILD_POOL.give_back(child, whole=whole)


class _Child:
    def __init__(self) -> None:
        self._process = spawn_child()
        self.readings = 0
        self.leaves = False  # it has said that it ends by itself

    def results(self, function: str, arguments: tuple[object, ...], bounds: ReadingBounds) -> Iterator[Any]:
        self.readings += 1
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # how it died is told below
            self._process.stdin.write(pickle.dumps((function, arguments, bounds), protocol=5))
            self._process.stdin.flush()
        while True:
            kind, *rest = self._next(bounds)
            if kind == RESULT_ITEM:
                yield rest[0]
                continue
            self.leaves = bool(rest.pop())
            if error := error_from_child(kind, *rest):
                raise error
            return

    def alive(self) -> bool:
        return self._process.poll() is None

    def leave(self) -> None:
        """Close our ends of its pipes, so that it ends with its last parent."""
        close_pipes(self._process)

    def end(self) -> None:
        self.leave()
        self._process.kill()
        self._process.wait()

    def _next(self, bounds: ReadingBounds) -> tuple[Any, ...]:
        try:
            answer = read_frame(self._reader(bounds), bounds.output * MEBIBYTE)
        except EOFError:
            raise self._death(bounds) from None
        except BadFrame:
            raise Unreadable("reading.too_much", size=bounds.output) from None
        if not isinstance(answer, tuple) or len(answer) < 2:
            raise Unreadable("reading.failed", error="no answer")
        return answer

    def _reader(self, bounds: ReadingBounds) -> Callable[[int], bytes]:
        """Reads from the child, which may be silent for so long and no longer."""
        assert self._process.stdout
        out = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN | select.POLLHUP)

        def exactly(size: int) -> bytes:
            body = bytearray()
            deadline = time.monotonic() + bounds.silence
            while len(body) < size:
                if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise Unreadable("reading.too_long", seconds=round(bounds.silence))
                part = os.read(out, min(size - len(body), MEBIBYTE))
                if not part:
                    break
                body += part
            return bytes(body)

        return exactly

    def _death(self, bounds: ReadingBounds) -> Unreadable:
        try:
            return explain_death(self._process.wait(CHILD_EXIT_SECONDS), bounds)
        except subprocess.TimeoutExpired:
            return explain_death(None, bounds)


class _ChildPool:
    """Children that wait for work; those of a process that was forked from ours are its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Child] = []
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.close)

    def borrow(self) -> _Child:
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None:
                return _Child()
            if child.alive():
                return child
            child.end()

    def give_back(self, child: _Child, *, whole: bool) -> None:
        with self._lock:
            keep = (
                whole
                and not child.leaves
                and child.readings < MAX_READINGS_PER_CHILD
                and len(self._idle) < MAX_IDLE_CHILDREN
            )
            if keep:
                self._idle.append(child)
        if not keep:
            child.end()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _forget(self) -> None:
        for child in self._idle:
            child.leave()
        self._lock, self._idle = threading.Lock(), []


_CHILD_POOL = _ChildPool()
