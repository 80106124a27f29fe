"""Server processes that outlive the command that started them."""

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # who finds its servers answering needs it not
    import psutil

_LARGE_LOG_BYTES = 10_000_000
_launched: list[subprocess.Popen[bytes]] = []  # kept so that a server that ends before us is reaped


def launch(command: Sequence[str], environment: Mapping[str, str], log: Path) -> "psutil.Process":
    """Start a program in a session of its own with its output appended to `log`; OSError when that fails."""
    import psutil

    reap()
    if log.exists() and log.stat().st_size > _LARGE_LOG_BYTES:
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as output:
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    _launched.append(started)
    return psutil.Process(started.pid)


def reap() -> None:
    """Take note of servers that we started and that have ended, so that they do not stay as zombies."""
    _launched[:] = [process for process in _launched if process.poll() is None]


def alive(process: "psutil.Process") -> bool:
    """Whether it still runs; one that ended and was not yet reaped does not."""
    import psutil

    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def named_by(pid_file: Path, folder: Path) -> "psutil.Process | None":
    """The living process that `pid_file` names, if its command line names `folder` too.

    After a crash the number in a pid file may belong to a process of somebody else.
    """
    import psutil

    try:
        process = psutil.Process(int(pid_file.read_text(encoding="ascii")))
        return process if alive(process) and str(folder) in process.cmdline() else None
    except (OSError, ValueError, psutil.Error):
        return None


def end(process: "psutil.Process", grace: float) -> None:
    """SIGTERM, and SIGKILL after `grace` seconds; returns when the process runs no more.

    It may stay as a zombie of process 1, which in many containers reaps nothing, so its number may still be taken.
    """
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        process.terminate()
        if not _ended_within(process, grace):
            process.kill()
            _ended_within(process, grace)
    reap()


def _ended_within(process: "psutil.Process", seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(process):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def last_complaint(log: Path) -> str:
    """The last line of a log that says what went wrong: mongod's last error (it logs JSON), or the last line."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]
    except OSError as error:
        return f"no log ({error.strerror})"
    complaints = [line for line in map(_complaint, lines) if line]
    return (
        complaints[-1] if complaints else next((line for line in reversed(lines) if line.strip()), "the log is empty")
    )


def _complaint(line: str) -> str | None:
    try:
        entry = json.loads(line)
        if entry["s"] not in "EF":
            return None
    except (ValueError, KeyError, TypeError):
        return None
    detail = entry.get("attr", {})
    return f"{entry['msg']}: {detail.get('error', json.dumps(detail))}"
