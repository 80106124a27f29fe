"""Run isolated Python child processes, such as the one that compiles, and tune garbage collection."""

import atexit
import gc
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final


def python_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a module as a child process.

    It runs isolated (-I): modules are not loaded from the working folder, or from paths of the environment.
    """
    return (sys.executable, "-I", "-X", "utf8", "-m", module, *arguments)


# Machine code is compiled at the first use, and again after an update. That takes minutes, so whoever waits is told.


PRECOMPILE_COMMAND: Final = python_command("wenhen.runtime.processes.precompile")
COMPILING: Final = (
    "首次使用或更新之后：正在编译机器代码，可能要几分钟，只此一次 "
    "first use, or the first after an update: compiling machine code, once, which may take minutes"
)
CODE_IS_KEPT: Final = "机器代码已编译并保存 machine code compiled and kept"


def told_compiled(seconds: float) -> str:
    """Return the sentence that compiling is done, after so many seconds."""
    return f"{CODE_IS_KEPT} ({seconds:.0f} s)"


def compile_in_child(
    is_complete: Callable[[], bool], tell: Callable[[str], object], command: Sequence[str] = PRECOMPILE_COMMAND
) -> None:
    """Let a child process compile all functions and tell so, unless the machine code is complete.

    A process that compiles keeps up to 600 MB until it ends. So processes that live long call this first, and read from
    disk what the child compiled. If it fails, this process compiles what it calls.
    """
    if is_complete():
        return
    import subprocess  # short commands start faster without

    tell(COMPILING)
    begun = time.monotonic()
    child = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if child.returncode == 0:
        tell(told_compiled(time.monotonic() - begun))
    else:
        tell(
            f"编译进程未完成（退出状态 {child.returncode}），改由各进程自行编译，多占内存 "
            f"the process that compiles ended with status {child.returncode}: "
            "each process compiles what it calls, and takes more memory"
        )


# Garbage collection.


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
