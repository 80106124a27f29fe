"""Build the command of an isolated Python child process, and tune garbage collection."""

import atexit
import gc
import sys
from functools import cache
from typing import Final


def python_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module as a child process.

    It runs isolated (-I): modules are not loaded from the working folder, or from paths of the environment.
    """
    return (sys.executable, "-I", "-X", "utf8", "-m", module, *arguments)


# Compiles the functions of the matcher, so that the process that waits for it does not keep what compiling takes.
PRECOMPILE_COMMAND: Final = python_command("wenhen.runtime.processes.precompile")

_WORKER_ALLOCATIONS: Final = 10_000  # allocations between collections, about thirty pages; Python's default is 700


def tune_worker_garbage_collection() -> None:
    """Exclude imported objects from garbage collection, and collect less often: most objects of a page need no
    collection.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_WORKER_ALLOCATIONS, 20, 20)


# Allocations between collections. Imports allocate much but leave hardly any garbage: with the default of 700,
# collection takes an eighth of the time of a short command.
_COMMAND_ALLOCATIONS: Final = 100_000


@cache
def tune_command_garbage_collection() -> None:
    """Collect garbage less often, and not at exit, where it would scan all imported objects twice."""
    gc.set_threshold(_COMMAND_ALLOCATIONS, 20, 20)
    atexit.register(gc.freeze)
