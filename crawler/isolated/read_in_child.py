"""The parent's end: children that are kept for the next reading, and ended when they go beyond its bounds."""

import atexit
import contextlib
import os
import pickle
import select
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

from crawler.isolated import child_process
from crawler.isolated.child_bounds import MEBIBYTE, ReadingBounds
from crawler.isolated.frames import BadFrame, got
from crawler.isolated.spawned import death, failure, leave, spawn
from store.errors import Unreadable, WenhenError

IDLE = 2  # children that are kept; each takes some 60 MB
READINGS = 2_000  # of one child: what libraries leak stays small
GRACE = 5  # seconds for a child to end by itself


def read(function: str, *arguments: object, bounds: ReadingBounds) -> Any:
    """What a function, named as in "package.module:function", makes of foreign bytes. Raises what it raises of
    `WenhenError`, and `Unreadable` where it fails otherwise or goes beyond the bounds.
    """
    result = None
    for one in read_each(function, *arguments, bounds=bounds):
        result = one
    return result


def read_each(function: str, *arguments: object, bounds: ReadingBounds) -> Generator[Any, None, None]:
    """The same of a function that yields: each result as it comes; what came before a failure was good."""
    child = _POOL.borrow()
    whole = False
    try:
        yield from child.results(function, arguments, bounds)
        whole = True
    except WenhenError as error:
        whole = not isinstance(error, Unreadable)
        raise
    finally:
        _POOL.give_back(child, whole=whole)


class _Child:
    def __init__(self) -> None:
        self._process = spawn()
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
            if kind == child_process.ITEM:
                yield rest[0]
                continue
            self.leaves = bool(rest.pop())
            if error := failure(kind, *rest):
                raise error
            return

    def alive(self) -> bool:
        return self._process.poll() is None

    def leave(self) -> None:
        """Close our ends of its pipes, so that it ends with its last parent."""
        leave(self._process)

    def end(self) -> None:
        self.leave()
        self._process.kill()
        self._process.wait()

    def _next(self, bounds: ReadingBounds) -> tuple[Any, ...]:
        try:
            answer = got(self._reader(bounds), bounds.output * MEBIBYTE)
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
            return death(self._process.wait(GRACE), bounds)
        except subprocess.TimeoutExpired:
            return death(None, bounds)


class _Pool:
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
            keep = whole and not child.leaves and child.readings < READINGS and len(self._idle) < IDLE
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


_POOL = _Pool()
