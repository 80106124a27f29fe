"""How a child is started, and what its end and its refusals tell."""

import contextlib
import os
import signal
import subprocess
import sys
from typing import Any

from crawler.isolated import child_process
from crawler.isolated.child_bounds import ReadingBounds
from store import errors
from store.errors import Unreadable, WenhenError

KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "TZ")


def spawn(*modules: str) -> "subprocess.Popen[bytes]":
    """A child that waits for work; `modules` it imports before."""
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-m", child_process.__name__, *modules],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ},
        cwd=os.sep,  # the folder of whoever starts it may go while it waits, and libraries ask where they are
        process_group=0,  # Ctrl-C reaches us alone; of our session, so that it gives way as we do
    )


def leave(process: "subprocess.Popen[bytes]") -> None:
    """Close our ends of its pipes, so that it ends with its last parent."""
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe:
                pipe.close()


def death(status: int | None, bounds: ReadingBounds) -> Unreadable:
    """Why a reading gave nothing, by the status with which its child ended; None: it did not."""
    if status is None:
        return Unreadable("reading.failed", error="no answer")
    if status == -signal.SIGPROF:
        return Unreadable("reading.too_long", seconds=round(bounds.seconds))
    if status < 0:
        return Unreadable("reading.killed", signal=signal.Signals(-status).name, memory=bounds.memory)
    return Unreadable("reading.failed", error=f"exit status {status}")


def failure(kind: str, *told: Any) -> WenhenError | None:
    """What a child says of how a reading ended, as an error; None where it ended well."""
    if kind == child_process.REFUSED:
        name, message = told
        found = getattr(errors, name, None)
        known = found if isinstance(found, type) and issubclass(found, WenhenError) else errors.BadInput
        return known(message.code, **message.figures)
    if kind == child_process.FAILED:
        return Unreadable("reading.failed", error=str(told[0]))
    return None
