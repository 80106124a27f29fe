"""Build the command of an isolated Python child process, and tune garbage collection."""

import atexit
import gc
import sys
from functools import cache
from typing import Final


def python_command(module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module as a child: isolated (-I), so that no file of the working folder, and no path of
    the environment, is taken for a module.
    """
    return (sys.executable, "-I", "-X", "utf8", "-m", module, *arguments)


_WORKER_ALLOCATIONS: Final = 10_000  # after which garbage is looked for, some thirty pages of a crawl; Python's are 700


def tune_worker_garbage_collection() -> None:
    """What was imported is never garbage, and what a page leaves behind is mostly gone without a look."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_WORKER_ALLOCATIONS, 20, 20)


# After so many objects more than there were garbage is looked for. Imports make many and hardly any garbage: with
# Python's 700 the search is an eighth of a short command's time.
_COMMAND_ALLOCATIONS: Final = 100_000


@cache
def tune_command_garbage_collection() -> None:
    """Look for garbage less often; and not at the end, where all that was imported would be gone through twice."""
    gc.set_threshold(_COMMAND_ALLOCATIONS, 20, 20)
    atexit.register(gc.freeze)
