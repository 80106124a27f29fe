"""Run in the child process: call the named functions on foreign bytes and send what they return.

It runs without the environment of its parent, so without its secrets.
"""

import gc
import os
import pickle
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO

from crawler.sandbox.protocol import has_grown_beyond, lift_limits, limit_process, limit_reading, write_frame
from wenhen.kit.errors import WenhenError

RESULT_ITEM, RESULT_DONE, RESULT_REFUSED, RESULT_FAILED = "item", "done", "refused", "failed"
MAX_CHILD_MEBIBYTES = 400  # mebibytes: a child that has grown so much gives way to another
MAX_CHILD_ERROR_CHARACTERS = 300  # characters of what a library says
GC_THRESHOLD_OBJECTS = (
    100_000  # objects more than there were, from which garbage is looked for: hardly any reading leaves some
)


def main() -> None:
    """Until the parent closes its end. The modules that are named are imported before it asks."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    limit_process()
    for name in sys.argv[1:]:
        import_module(name)
    gc.set_threshold(GC_THRESHOLD_OBJECTS)
    while True:
        try:
            function, arguments, bounds = pickle.load(inbox)  # noqa: S301  from the parent, who started us
        except EOFError:
            return
        read = _import_function(function)
        limit_reading(bounds)
        try:
            outcome = _send_results(outbox, read, arguments)
        finally:
            lift_limits()
        last = outcome[0] == RESULT_FAILED or has_grown_beyond(MAX_CHILD_MEBIBYTES)
        write_frame(outbox, (*outcome, last))
        if last:
            return


def _send_results(outbox: BinaryIO, read: Any, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Say each result; how it ended."""
    try:
        results = read(*arguments)
        if not isinstance(results, Iterator):
            write_frame(outbox, (RESULT_ITEM, results), at_once=False)  # how it ended follows
            return (RESULT_DONE,)
        for result in results:
            write_frame(outbox, (RESULT_ITEM, result))
    except WenhenError as error:
        return RESULT_REFUSED, type(error).__name__, error.message
    except (Exception, MemoryError) as error:  # noqa: BLE001  whatever foreign bytes bring about is told to the parent
        return RESULT_FAILED, f"{type(error).__name__}: {error}"[:MAX_CHILD_ERROR_CHARACTERS]
    return (RESULT_DONE,)


def _import_function(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


if __name__ == "__main__":
    main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # to take apart all that was imported takes a fifth of the time of a child that read a page
