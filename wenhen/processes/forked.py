"""An object that lives in a process forked from this one: what is called from threads here is done there.

A process that computes one thing after another, as the loop of a crawl does, is not held up by what is done beside it
in another process; in threads of its own it would be.
"""

import logging
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from operator import attrgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple

from store.errors import Unavailable

logger = logging.getLogger(__name__)


class _Raised(NamedTuple):
    error: Exception


class Forked:
    """`make` makes the object there, and its `close` is called when this process has closed this, or died. So many
    calls are done at a time, each by a thread of its own; more wait for their turn.

    To be made before this process has threads, or connections that it means to use itself.
    """

    def __init__(self, make: Callable[[], Any], at_once: int) -> None:
        ways = [Pipe() for _ in range(at_once)]
        self._pid = os.fork()
        if not self._pid:
            for ours, _ in ways:
                ours.close()  # or it would never show that this process died
            _serve_and_exit(make, [theirs for _, theirs in ways])
        self._ways = [ours for ours, _ in ways]
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        for ours, theirs in ways:
            theirs.close()
            self._idle.put(ours)

    def call(self, name: str, *arguments: object) -> Any:
        """What a method gives (``method``, or ``part.method`` of a part), or an attribute where nothing is to be
        called; raises what it raises, and `Unavailable` where the other process has ended.
        """
        way = self._idle.get()
        try:
            way.send((name, arguments))
            answer = way.recv()
        except (OSError, EOFError) as error:
            raise Unavailable("crawls.no_writer") from error
        finally:
            self._idle.put(way)
        if isinstance(answer, _Raised):
            raise answer.error
        return answer

    def close(self) -> None:
        """Wait for what is being done, and for the end of the process."""
        for way in self._ways:
            way.close()
        with suppress(ChildProcessError):  # whoever ended it has asked for its status
            os.waitpid(self._pid, 0)


def _serve_and_exit(make: Callable[[], Any], ways: Sequence[Connection]) -> None:
    """As long as the other end lives: whoever ends a group of processes means the one that decides."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        served = make()
        threads = [Thread(target=_answer, args=(way, served)) for way in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        served.close()
        status = 0
    except Exception:
        logger.exception("the process beside %d ended", os.getppid())
    finally:
        os._exit(status)  # what the other process is to do at its end is not ours


def _answer(way: Connection, served: Any) -> None:
    with suppress(OSError, EOFError):
        while True:
            name, arguments = way.recv()
            answer = _done(served, name, arguments)
            try:
                way.send(answer)
            except (TypeError, AttributeError, ValueError) as error:  # no answer that can be told
                way.send(_Raised(RuntimeError(f"{name}: {error}")))


def _done(served: Any, name: str, arguments: Sequence[object]) -> Any:
    try:
        found = attrgetter(name)(served)
        return found(*arguments) if callable(found) else found
    except Exception as error:  # noqa: BLE001  raised where it was called
        return _Raised(error)
