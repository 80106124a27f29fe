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
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from crawler.sandbox import child_process
from crawler.sandbox.child_process import RESULT_FAILED, RESULT_ITEM, RESULT_REFUSED
from crawler.sandbox.protocol import BadFrame, read_frame
from wenhen.kit import errors
from wenhen.kit.errors import BadInput, Unreadable, WenhenError
from wenhen.kit.size_and_time_limits import MEBIBYTE, ReadingBounds

CHILD_ENVIRONMENT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "TZ")


def spawn_child(*modules: str) -> "subprocess.Popen[bytes]":
    """Start a child that waits for questions. It imports `modules` first."""
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-m", child_process.__name__, *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={name: os.environ[name] for name in CHILD_ENVIRONMENT_VARIABLES if name in os.environ},
        cwd=os.sep,  # the parent's folder may vanish, and libraries ask for the current one
        process_group=0,  # Ctrl-C reaches the parent only, but both share a session
    )


def pickle_question(
    function: str, arguments: tuple[object, ...], bounds: ReadingBounds, *, followed: bool = False
) -> bytes:
    """Return a question to a child. followed: whether another one is sent with it."""
    return pickle.dumps((function, arguments, bounds, followed), protocol=5)


def close_pipes(process: "subprocess.Popen[bytes]") -> None:
    """Close our ends of the pipes, so that the child ends with its last parent."""
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe:
                pipe.close()


def explain_death(status: int | None, bounds: ReadingBounds) -> Unreadable:
    """Return the error of a reading by the exit status of its child. None: it has not ended."""
    if status is None:
        return Unreadable("reading.failed", error="no answer")
    if status == -signal.SIGPROF:
        return Unreadable("reading.too_long", seconds=round(bounds.seconds))
    if status < 0:
        return Unreadable("reading.killed", signal=signal.Signals(-status).name, memory=bounds.memory)
    return Unreadable("reading.failed", error=f"exit status {status}")


def error_from_child(kind: str, *details: Any) -> WenhenError | None:
    """Return the error that a child reports, or None."""
    if kind == RESULT_REFUSED:
        name, message = details
        named = getattr(errors, name, None)
        known = named if isinstance(named, type) and issubclass(named, WenhenError) else BadInput
        return known(message.code, **message.figures)
    if kind == RESULT_FAILED:
        return Unreadable("reading.failed", error=str(details[0]))
    return None


# The parent's side: children are reused, and end when they exceed their bounds.


MAX_IDLE_CHILDREN = 2  # idle children of about 60 MB each
# Readings: they bound the leaks of libraries that stay below `MAX_CHILD_MEBIBYTES`. A new child takes as long to start
# as 300 pages to read.
MAX_READINGS_PER_CHILD = 10_000
# Questions that are sent together: bytes, which a pipe holds, and their number.
_WINDOW_BYTES, _MAX_WINDOW = 48_000, 16
_EXTRA_QUESTION_BYTES = 1_000  # of a question beside its arguments
READ_AHEAD_BYTES = 65_536  # bytes that are read at once if they are there
CHILD_EXIT_SECONDS = 5  # seconds in which a child may end by itself


def read_in_child(function: str, *arguments: object, bounds: ReadingBounds) -> Any:
    """Return the result of a function, named as in "package.module:function", on foreign bytes.

    Raise its `WenhenError`. Raise `Unreadable` if it fails otherwise or exceeds the bounds.
    """
    result = None
    for item in read_each_in_child(function, *arguments, bounds=bounds):
        result = item
    return result


def read_many_in_child(function: str, questions: Sequence[tuple[object, ...]], bounds: ReadingBounds) -> Iterator[Any]:
    """Yield for each tuple of arguments what `read_in_child` would return or raise.

    Questions are sent some at a time, so that parent and child wait for each other less often. Each has the bounds for
    itself. Where a child ends without all answers, the questions without one are asked one by one.
    """
    for window in _split_questions(questions):
        answered = _read_window(function, window, bounds) if len(window) > 1 else []
        yield from answered
        for arguments in window[len(answered) :]:
            try:
                yield read_in_child(function, *arguments, bounds=bounds)
            except WenhenError as error:
                yield error


def _split_questions(questions: Sequence[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    """Split questions into windows that a pipe holds. Parent and child then never wait for each other at once."""
    window: list[tuple[object, ...]] = []
    size = 0
    for arguments in questions:
        own = _EXTRA_QUESTION_BYTES + len(pickle.dumps(arguments, protocol=5))
        if window and (size + own > _WINDOW_BYTES or len(window) == _MAX_WINDOW):
            yield window
            window, size = [], 0
        window.append(arguments)
        size += own
    if window:
        yield window


def _read_window(function: str, window: Sequence[tuple[object, ...]], bounds: ReadingBounds) -> list[Any]:
    """Return the results or errors of the first questions; of all unless the child ended."""
    child = _CHILD_POOL.borrow()
    answered: list[Any] = []
    whole = False
    try:
        answered.extend(child.answers(function, window, bounds))
        whole = len(answered) == len(window)
    except Unreadable:  # the reading that ended the child is not known, as answers may be lost with it
        pass
    finally:
        _CHILD_POOL.give_back(child, whole=whole)
    return answered


def read_each_in_child(function: str, *arguments: object, bounds: ReadingBounds) -> Generator[Any, None, None]:
    """Yield the results of a generator function as they arrive. Results before a failure are valid."""
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
        assert self._process.stdout
        self._poll = select.poll()
        self._poll.register(self._process.stdout.fileno(), select.POLLIN | select.POLLHUP)
        self._received = bytearray()  # read ahead
        self.readings = 0
        self.leaves = False  # it announced its end

    def results(self, function: str, arguments: tuple[object, ...], bounds: ReadingBounds) -> Iterator[Any]:
        self.readings += 1
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):  # its status is read below
            self._process.stdin.write(pickle_question(function, arguments, bounds))
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

    def answers(self, function: str, questions: Sequence[tuple[object, ...]], bounds: ReadingBounds) -> Iterator[Any]:
        """Yield the result or error of each question, until all are answered or the child leaves."""
        self.readings += len(questions)
        assert self._process.stdin
        last = len(questions) - 1
        pickled = (
            pickle_question(function, arguments, bounds, followed=place < last)
            for place, arguments in enumerate(questions)
        )
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"".join(pickled))
            self._process.stdin.flush()
        for _ in questions:
            result = None
            while True:
                kind, *rest = self._next(bounds)
                if kind != RESULT_ITEM:
                    break
                result = rest[0]
            self.leaves = bool(rest.pop())
            yield error_from_child(kind, *rest) or result
            if self.leaves:
                return

    def alive(self) -> bool:
        return self._process.poll() is None

    def leave(self) -> None:
        """Close our ends of the pipes, so that the child ends with its last parent."""
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
        """Return a function that reads from the child. It raises after `bounds.silence` seconds without data.

        What comes beyond the requested bytes is kept for the next call, because small frames often come together.
        """
        assert self._process.stdout
        out, received = self._process.stdout.fileno(), self._received

        def exactly(size: int) -> bytes:
            deadline = time.monotonic() + bounds.silence
            while len(received) < size:
                if not self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise Unreadable("reading.too_long", seconds=round(bounds.silence))
                part = os.read(out, min(max(size - len(received), READ_AHEAD_BYTES), MEBIBYTE))
                if not part:
                    break
                received.extend(part)
            with memoryview(received) as view:
                body = bytes(view[:size])
            del received[:size]
            return body

        return exactly

    def _death(self, bounds: ReadingBounds) -> Unreadable:
        try:
            return explain_death(self._process.wait(CHILD_EXIT_SECONDS), bounds)
        except subprocess.TimeoutExpired:
            return explain_death(None, bounds)


class _ChildPool:
    """Idle children. A forked process has its own."""

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
