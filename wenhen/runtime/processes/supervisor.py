"""Start child programs, restart those that die, rotate their logs, and stop all."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import psutil

from wenhen.runtime.processes import parent_death_signal


def rotate_log(log: Path, *, most: int, keep: int) -> None:
    """Rotate a log of more than `most` bytes: copy it to `LOG.1` and empty it. `LOG.keep` is the oldest copy.

    It is copied, not renamed, because processes go on appending to the same file. What is written in between, at most a
    line, is lost.
    """
    with suppress(OSError):  # it does not exist yet, or the disk is full
        if log.stat().st_size <= most:
            return
        for number in range(keep - 1, 0, -1):
            with suppress(FileNotFoundError):
                _rotated_path(log, number).replace(_rotated_path(log, number + 1))
        if keep:
            shutil.copyfile(log, _rotated_path(log, 1))
        with log.open("r+b") as file:
            file.truncate()


def _rotated_path(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")


# The supervisor starts programs, restarts those that die, and stops all in order.


_POLL_SECONDS = 0.2
_LOG_CHECK_SECONDS = 5.0  # seconds between checks of log sizes
_STABLE_RUN_SECONDS = 60.0  # seconds; after a run of this length the restart pause is reset


@dataclass(frozen=True)
class Child:
    """A program to keep running.

    - env: added to the environment of this process.
    - log: file for its output; stderr without one.
    - niceness: niceness of it and its children, 0 to 19.
    - watches: logs of programs that it supervises, which are rotated like its own.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    niceness: int = 0
    watches: Sequence[Path] = ()


class LogLimits(NamedTuple):
    """The maximum size of a log in bytes, and the number of old logs that are kept."""

    most: int
    keep: int


def print_to_stderr(message: str) -> None:
    """Print a line to stderr."""
    with contextlib.suppress(OSError, ValueError):  # the terminal is closed
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()


class _RunningChild:
    """A child with its current process, if any."""

    def __init__(self, child: Child, pause: float) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.started = self.start_at = 0.0
        self.pause = pause


DEFAULT_LOG_LIMITS = LogLimits(most=10_000_000, keep=5)


class Supervisor:
    """Child programs that run for the length of a ``with`` block.

    They are started in the given order, and stopped all at once: SIGTERM, and after `grace` seconds SIGKILL for the
    child and all that it started. A child that ends is restarted after a pause, and `say` gets a message. The pause
    begins at `pauses[0]` seconds and doubles up to `pauses[1]` while the child keeps ending. Each child has its own
    session, so that Ctrl-C only reaches this process. On Linux all children get SIGTERM if this process dies.
    """

    def __init__(
        self,
        children: Sequence[Child],
        *,
        grace: float = 30.0,
        pauses: tuple[float, float] = (1.0, 60.0),
        say: Callable[[str], None] = print_to_stderr,
        logs: LogLimits = DEFAULT_LOG_LIMITS,
    ) -> None:
        self._logs, self._logs_looked_at = logs, 0.0
        self._grace, self._pauses, self._say = grace, pauses, say
        self._kept = [_RunningChild(child, pauses[0]) for child in children]
        self._started, self._ending = threading.Event(), threading.Event()
        # The kernel ties the parent-death signal to the thread that started a child. So one thread starts all children,
        # and lives until they have ended.
        self._keeper = threading.Thread(target=self._keep, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._keeper.start()
        self._started.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def run_until_signal(self) -> int:
        """Wait for SIGINT or SIGTERM and return its number; call it from the main thread, inside ``with``."""
        received: list[int] = []

        def note(number: int, _frame: object) -> None:
            received.append(number)

        before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not received:  # a handler cannot safely set an Event whose wait it interrupts
                time.sleep(_POLL_SECONDS)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return received[0]

    def alive(self) -> dict[str, bool]:
        """Return whether each child runs now, by name."""
        return {kept.child.name: kept.process is not None and _is_running(kept.process) for kept in self._kept}

    def pids(self) -> dict[str, int]:
        """Return the pid of each running child, by name."""
        return {
            kept.child.name: process.pid for kept in self._kept if (process := kept.process) and _is_running(process)
        }

    def stop(self) -> None:
        """Stop all children, and wait for their end. It is idempotent."""
        self._ending.set()
        self._keeper.join()

    def _keep(self) -> None:
        try:
            for kept in self._kept:
                self._start(kept)
            self._started.set()
            while not self._ending.wait(_POLL_SECONDS):
                for kept in self._kept:
                    self._look_after(kept)
                self._look_after_logs()
        finally:
            self._started.set()
            self._end_all()

    def _start(self, kept: _RunningChild) -> None:
        try:
            kept.process = _launch_child(kept.child)
            kept.started = time.monotonic()
        except OSError as error:
            self._again_later(kept, f"cannot be started ({error})")

    def _look_after(self, kept: _RunningChild) -> None:
        if kept.process is None:
            if time.monotonic() >= kept.start_at:
                self._start(kept)
        elif not _is_running(kept.process):
            _kill_group(kept.process)
            if time.monotonic() - kept.started > _STABLE_RUN_SECONDS:
                kept.pause = self._pauses[0]
            status, kept.process = kept.process.wait(), None
            self._again_later(kept, f"ended by itself ({_format_status(status)})")

    def _look_after_logs(self) -> None:
        if time.monotonic() < self._logs_looked_at + _LOG_CHECK_SECONDS:
            return
        self._logs_looked_at = time.monotonic()
        own_logs = {kept.child.log for kept in self._kept if kept.child.log}
        for log in own_logs.union(*(kept.child.watches for kept in self._kept)):
            rotate_log(log, most=self._logs.most, keep=self._logs.keep)

    def _again_later(self, kept: _RunningChild, what: str) -> None:
        where = f"; its log is {kept.child.log}" if kept.child.log else ""
        self._say(f"{kept.child.name} {what}; starting it again in {kept.pause:g} s{where}")
        kept.start_at = time.monotonic() + kept.pause
        kept.pause = min(2 * kept.pause, self._pauses[1])

    def _end_all(self) -> None:
        running = [kept.process for kept in self._kept if kept.process is not None]
        for process in running:
            _terminate(process)
        for process in running:
            self._wait_for_end(process)
        for kept in self._kept:
            kept.process = None

    def _wait_for_end(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + self._grace
        while _is_running(process) and time.monotonic() < deadline:
            time.sleep(0.02)
        _kill_group(process)
        process.wait()


def _launch_child(child: Child) -> subprocess.Popen[bytes]:
    isolated = [sys.executable, "-I", "-S", parent_death_signal.__file__]
    command = [*isolated, str(os.getpid()), str(child.niceness), *child.argv]
    if child.log:
        child.log.parent.mkdir(parents=True, exist_ok=True)
    with child.log.open("ab") if child.log else contextlib.nullcontext(sys.__stderr__) as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **child.env},
            start_new_session=True,
        )


def _terminate(process: subprocess.Popen[bytes]) -> None:
    if _is_running(process):
        process.terminate()


def _is_running(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the process runs. Unlike ``poll``, it does not reap the process, so its pid stays in use."""
    try:
        return psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Send SIGKILL to an unreaped child and its process group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # on macOS, EPERM for a group of zombies
        os.killpg(process.pid, signal.SIGKILL)


def _format_status(status: int) -> str:
    return f"signal {-status}, {signal.strsignal(-status)}" if status < 0 else f"exit status {status}"
