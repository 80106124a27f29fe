"""Become another program that receives SIGTERM when its parent dies.

Run as ``python die_with_parent.py PARENT_PID NICENESS PROGRAM ARGUMENT…`` by its path. Linux only (PR_SET_PDEATHSIG,
prctl(2)); elsewhere the program runs without that. A launcher of its own, because Python code between fork and exec
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
    """Replace this process; exit status 127 with a line on stderr when the program cannot be run."""
    parent, niceness, program = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we could ask to be told
        sys.exit(1)
    if niceness:
        _set_niceness(niceness)
    try:
        os.execvp(program[0], program)  # noqa: S606  to become the program is the point
    except OSError as error:
        sys.stderr.write(f"{program[0]} cannot be run: {error.strerror}\n")
        sys.exit(_NOT_FOUND_STATUS)


def _set_niceness(niceness: int) -> None:
    """Let others have the processor first, to whom fewer of these points were given (nice(2)).

    Where the kernel shares the processor among sessions before it looks at processes (sched(7), autogroup), the points
    of our session count, which has to be our own.
    """
    os.nice(niceness)
    with contextlib.suppress(OSError), open(_AUTOGROUP_FILE, "w", encoding="ascii") as session:  # noqa: PTH123  starts quickly
        session.write(str(niceness))


if __name__ == "__main__":
    main()
