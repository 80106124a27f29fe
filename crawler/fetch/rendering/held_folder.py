"""A temporary folder that a process holds while it lives; those of processes that were killed are removed.

Held is who has a lock on the folder itself: the system takes that from a dead process, whatever killed it.
"""

import fcntl
import os
import shutil
import tempfile
import weakref
from pathlib import Path


class HeldFolder:
    """A folder in the temporary folder whose name begins with this prefix, private to its owner, until the process
    ends or nothing refers to it.
    """

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.path, held = _made(prefix)
        self._end = weakref.finalize(self, _remove, self.path, held, os.getpid())


def _made(prefix: str) -> tuple[Path, int]:
    while True:  # who removes what was abandoned may come between making and holding
        path = Path(tempfile.mkdtemp(prefix=prefix))
        if (held := _hold(path)) is not None:
            return path, held


def _remove_abandoned(prefix: str) -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        if (held := _hold(path)) is not None:
            _remove(path, held, os.getpid())


def _hold(path: Path) -> int | None:
    """Lock a folder; None where another has it, it is not ours, or is there no more."""
    try:
        held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(held).st_uid == os.geteuid() and os.path.samestat(os.fstat(held), path.stat()):
            return held
    except OSError:
        pass
    os.close(held)
    return None


def _remove(path: Path, held: int, maker: int) -> None:
    if os.getpid() == maker:  # a fork leaves it to who made it
        shutil.rmtree(path, ignore_errors=True)
    os.close(held)
