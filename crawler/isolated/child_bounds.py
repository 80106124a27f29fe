"""How much of the machine reading something may take."""

import resource
import signal
from pathlib import Path
from typing import NamedTuple

MEBIBYTE = 1 << 20
_STATM = Path("/proc/self/statm")


class ReadingBounds(NamedTuple):  # it goes to the child with every question: no other form is packed as fast
    """Of one reading. seconds: of the processor's time; memory, output: mebibytes, the former beyond what the child
    itself takes, the latter of one result. patience: seconds without a result from which the child is held for hung;
    None: so many that a busy machine has given it its time.
    """

    seconds: float
    memory: int
    output: int
    patience: float | None = None

    @property
    def silence(self) -> float:
        """Seconds without a result that are waited for."""
        return 60 + 10 * self.seconds if self.patience is None else self.patience


def bound_process() -> None:
    """Once in the child: no core dumps, no files written."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def bound_reading(bounds: ReadingBounds) -> None:
    """From now on until `unbound`: the kernel ends the process at its limit of time, whatever it is doing."""
    taken, _ = _memory()
    limit = taken + bounds.memory * MEBIBYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if taken and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    signal.setitimer(signal.ITIMER_PROF, bounds.seconds)


def unbound() -> None:
    """The reading is over."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def grown(mebibytes: int) -> bool:
    """Whether the process keeps more than that."""
    _, resident = _memory()
    return resident > mebibytes * MEBIBYTE


def _memory() -> tuple[int, int]:
    """Bytes of addresses and of memory that the process has; zeros where no /proc says so."""
    if not _STATM.exists():
        return 0, 0
    pages, resident, *_ = map(int, _STATM.read_text().split())
    return pages * resource.getpagesize(), resident * resource.getpagesize()
