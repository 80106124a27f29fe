"""Exec a program that gets SIGTERM when its parent dies.

Run by path as ``python parent_death_signal.py PARENT_PID NICENESS PROGRAM ARGUMENT…``. Linux only (PR_SET_PDEATHSIG,
prctl(2)); elsewhere the program runs without it. It is a separate launcher, because Python code between fork and exec
(``preexec_fn``) can deadlock in a parent with threads.
"""

import contextlib
import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_NOT_FOUND_STATUS = 127
_AUTOGROUP_FILE = "/proc/self/autogroup"


def main() -> None:
    """Exec the program. Exit with status 127 and a line on stderr if it cannot be run."""
    parent, niceness, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the signal was set
        sys.exit(1)
    if niceness:
        _set_niceness(niceness)
    try:
        os.execvp(program[0], program)  # noqa: S606  exec is intended
    except OSError as error:
        sys.stderr.write(f"{program[0]} cannot be run: {error.strerror}\n")
        sys.exit(_NOT_FOUND_STATUS)


def _set_niceness(niceness: int) -> None:
    """Lower the priority by `niceness` (nice(2)).

    If the kernel shares the processor among sessions first (sched(7), autogroup), the niceness of the session counts.
    """
    os.nice(niceness)
    with contextlib.suppress(OSError), open(_AUTOGROUP_FILE, "w", encoding="ascii") as session:  # noqa: PTH123  starts quickly
        session.write(str(niceness))


if __name__ == "__main__":
    main()
