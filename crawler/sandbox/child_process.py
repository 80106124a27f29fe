"""Run in the child process: call the named functions on foreign bytes within limits, and send their results.

The child runs without the environment of its parent, and so without its secrets.
"""

import gc
import os
import pickle
import resource
import signal
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, BinaryIO

from crawler.sandbox.protocol import write_frame
from wenhen.kit.errors import WenhenError
from wenhen.kit.size_and_time_limits import MEBIBYTE, ReadingBounds

RESULT_ITEM, RESULT_DONE, RESULT_REFUSED, RESULT_FAILED = "item", "done", "refused", "failed"
MAX_CHILD_MEBIBYTES = 400  # mebibytes: a larger child is replaced
MAX_CHILD_ERROR_CHARACTERS = 300  # characters of a library's error message
_STATM_FILE = "/proc/self/statm"
_STATM_BYTES = 256  # more than its seven numbers have
_PAGE_BYTES = resource.getpagesize()
ANSWER_BUFFER_BYTES = 65_536  # bytes of answers that are sent together, as much as a pipe holds
GC_THRESHOLD_OBJECTS = 100_000  # new objects that start a collection: readings leave hardly any garbage


def main() -> None:
    """Answer questions until the parent closes its end. Import the modules of the arguments first."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", ANSWER_BUFFER_BYTES)
    os.dup2(2, 1)  # libraries may print, which is no answer
    limit_process()
    for name in sys.argv[1:]:
        import_module(name)
    gc.set_threshold(GC_THRESHOLD_OBJECTS)
    while True:
        try:
            function, arguments, bounds, followed = pickle.load(inbox)  # noqa: S301  from our own parent
        except EOFError:
            return
        read = _import_function(function)
        limit_reading(bounds)
        try:
            outcome = _send_results(outbox, read, arguments)
        finally:
            lift_limits()
        last = outcome[0] == RESULT_FAILED or has_grown_beyond(MAX_CHILD_MEBIBYTES)
        # The answers to questions that came together are sent together, so that parent and child switch less often.
        write_frame(outbox, (*outcome, last), at_once=last or not followed)
        if last:
            return


def _send_results(outbox: BinaryIO, read: Any, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Send each result. Return how the reading ended."""
    try:
        results = read(*arguments)
        if not isinstance(results, Iterator):
            write_frame(outbox, (RESULT_ITEM, results), at_once=False)  # how it ended follows
            return (RESULT_DONE,)
        for result in results:
            write_frame(outbox, (RESULT_ITEM, result))
    except WenhenError as error:
        return RESULT_REFUSED, type(error).__name__, error.message
    except (Exception, MemoryError) as error:  # noqa: BLE001  the parent learns of every failure
        return RESULT_FAILED, f"{type(error).__name__}: {error}"[:MAX_CHILD_ERROR_CHARACTERS]
    return (RESULT_DONE,)


def _import_function(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


def limit_process() -> None:
    """Forbid core dumps and written files in the child, once."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_reading(bounds: ReadingBounds) -> None:
    """Apply the bounds until `lift_limits`. The kernel ends the process at its time limit, whatever it does."""
    taken, _ = _memory_bytes()
    limit = taken + bounds.memory * MEBIBYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if taken and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    signal.setitimer(signal.ITIMER_PROF, bounds.seconds)


def lift_limits() -> None:
    """Lift the bounds after a reading."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def has_grown_beyond(mebibytes: int) -> bool:
    """Return whether the process uses more memory than this."""
    _, resident = _memory_bytes()
    return resident > mebibytes * MEBIBYTE


def _memory_bytes() -> tuple[int, int]:
    """Return the bytes of address space and of memory of the process, or zeros without /proc."""
    statm = _open_statm(os.getpid())
    if statm is None:
        return 0, 0
    pages, resident, *_ = map(int, os.pread(statm, _STATM_BYTES, 0).split())
    return pages * _PAGE_BYTES, resident * _PAGE_BYTES


@cache
def _open_statm(_process: int) -> int | None:
    """Return the descriptor of the sizes of this process, or None without /proc. Opened once, as it is read twice a
    reading.
    """
    try:
        return os.open(_STATM_FILE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


if __name__ == "__main__":
    main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # an orderly exit takes a fifth of the time of reading a page
