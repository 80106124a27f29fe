"""Log files that do not grow without end, whoever writes them."""

import shutil
from contextlib import suppress
from pathlib import Path


def rotate(log: Path, *, most: int, keep: int) -> None:
    """Where a log has more than `most` bytes, set its lines aside as `LOG.1` and empty it; `LOG.keep` is the oldest.

    Copied and emptied rather than renamed: the processes that append to it go on in the same file. What is written
    between the two is lost, a line at most.
    """
    with suppress(OSError):  # it is not there yet, or the disk is full
        if log.stat().st_size <= most:
            return
        for number in range(keep - 1, 0, -1):
            with suppress(FileNotFoundError):
                _aside(log, number).replace(_aside(log, number + 1))
        if keep:
            shutil.copyfile(log, _aside(log, 1))
        with log.open("r+b") as file:
            file.truncate()


def _aside(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
