"""The child: reads what it is handed, one after the other, and says what came of it.

It runs without the environment of its parent, so without its secrets.
"""

import gc
import os
import pickle
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO

from crawler.isolated.child_bounds import bound_process, bound_reading, grown, unbound
from crawler.isolated.frames import put
from store.errors import WenhenError

ITEM, DONE, REFUSED, FAILED = "item", "done", "refused", "failed"
LARGE = 400  # mebibytes: a child that has grown so much gives way to another
LONGEST = 300  # characters of what a library says
GARBAGE = 100_000  # objects more than there were, from which garbage is looked for: hardly any reading leaves some


def main() -> None:
    """Until the parent closes its end. The modules that are named are imported before it asks."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    bound_process()
    for name in sys.argv[1:]:
        import_module(name)
    gc.set_threshold(GARBAGE)
    while True:
        try:
            function, arguments, bounds = pickle.load(inbox)  # noqa: S301  from the parent, who started us
        except EOFError:
            return
        read = _function(function)
        bound_reading(bounds)
        try:
            outcome = _read(outbox, read, arguments)
        finally:
            unbound()
        last = outcome[0] == FAILED or grown(LARGE)
        put(outbox, (*outcome, last))
        if last:
            return


def _read(outbox: BinaryIO, read: Any, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """Say each result; how it ended."""
    try:
        results = read(*arguments)
        if not isinstance(results, Iterator):
            put(outbox, (ITEM, results), at_once=False)  # how it ended follows
            return (DONE,)
        for result in results:
            put(outbox, (ITEM, result))
    except WenhenError as error:
        return REFUSED, type(error).__name__, error.message
    except (Exception, MemoryError) as error:  # noqa: BLE001  whatever foreign bytes bring about is told to the parent
        return FAILED, f"{type(error).__name__}: {error}"[:LONGEST]
    return (DONE,)


def _function(name: str) -> Any:
    module, _, function = name.partition(":")
    return getattr(import_module(module), function)


if __name__ == "__main__":
    main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # to take apart all that was imported takes a fifth of the time of a child that read a page
