"""An object in a process forked from this one."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from tests.support.crawls.crawling import PROCESSES
from tests.support.way import wait_for
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.runtime.processes.crawl_writer import ForkedObject

AT_ONCE = 2


class Part:
    def number(self) -> int:
        return os.getpid()


class Beside:
    """Writes down that it was closed."""

    def __init__(self, closed: Path) -> None:
        self._closed = closed
        self._both = Barrier(AT_ONCE)
        self.part = Part()
        self.state = "open"

    def meet(self) -> int:
        return self._both.wait(30)

    def refuse(self) -> None:
        raise BadInput("crawls.not_web", url="ftp://a.test")

    def give_what_cannot_be_told(self) -> object:
        return lambda: None

    def close(self) -> None:
        self._closed.touch()


@contextmanager
def made(closed: Path) -> Iterator[ForkedObject]:
    forked = ForkedObject(lambda: Beside(closed), AT_ONCE)
    try:
        yield forked
    finally:
        forked.close()


def told(target: Callable[[Path, Connection], None], closed: Path) -> Any:
    """What is told by a process of its own: the tests' has threads."""
    ours, theirs = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=target, args=(closed, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()


def ask(closed: Path, teller: Connection) -> None:
    with made(closed) as forked, ThreadPoolExecutor(AT_ONCE) as threads:
        other = forked.call("part.number") != os.getpid()
        places = list(threads.map(forked.call, ["meet"] * AT_ONCE))
        with pytest.raises(BadInput) as refused:
            forked.call("refuse")
        with pytest.raises(RuntimeError):
            forked.call("give_what_cannot_be_told")
        state = forked.call("state")
    teller.send((other, sorted(places), refused.value.message.code, state))


def kill(closed: Path, teller: Connection) -> None:
    with made(closed) as forked:
        os.kill(forked.call("part.number"), signal.SIGKILL)
        for _ in range(AT_ONCE + 1):
            with pytest.raises(Unavailable) as gone:
                forked.call("state")
    teller.send(gone.value.message.code)


def die(closed: Path, teller: Connection) -> None:
    forked = ForkedObject(lambda: Beside(closed), AT_ONCE)
    os.kill(forked.call("part.number"), signal.SIGTERM)
    teller.send(forked.call("state"))
    os.kill(os.getpid(), signal.SIGKILL)


def test_calls_are_done_there_at_the_same_time_and_errors_come_back_as_they_are(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    assert told(ask, closed) == (True, list(range(AT_ONCE)), "crawls.not_web", "open")
    assert closed.exists()


def test_a_process_that_was_killed_shows_in_every_call(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    assert told(kill, closed) == "crawls.no_writer"
    assert not closed.exists()


def test_it_ends_with_whoever_made_it_and_not_because_it_is_told_to(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    assert told(die, closed) == "open"
    wait_for(closed.exists, "the end of the other process")
