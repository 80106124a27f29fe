"""Bound the time, the memory and the output of one reading in the child process."""

import resource
import signal
from pathlib import Path
from typing import NamedTuple

MEBIBYTE = 1 << 20
_STATM_FILE = Path("/proc/self/statm")


class ReadingBounds(NamedTuple):  # every question carries it, and a named tuple pickles fastest
    """The bounds of one reading.

    seconds: of processor time. memory: mebibytes beyond the child's own. output: mebibytes of one result. patience:
    seconds without a result after which the child counts as hung. None allows for a busy machine.
    """

    seconds: float
    memory: int
    output: int
    patience: float | None = None

    @property
    def silence(self) -> float:
        """Return the seconds to wait for a result."""
        return 60 + 10 * self.seconds if self.patience is None else self.patience


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
    if not _STATM_FILE.exists():
        return 0, 0
    pages, resident, *_ = map(int, _STATM_FILE.read_text().split())
    return pages * resource.getpagesize(), resident * resource.getpagesize()
