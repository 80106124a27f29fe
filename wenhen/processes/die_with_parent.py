"""Become another program that is told to end when its parent dies.

Run as ``python die_with_parent.py PARENT_PID PROGRAM ARGUMENT…`` by its path. Linux only (PR_SET_PDEATHSIG, prctl(2));
elsewhere the program runs without that. A launcher of its own, because Python code between fork and exec
(``preexec_fn``) can deadlock in a parent with threads.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_NOT_FOUND = 127


def main() -> None:
    """Replace this process; exit status 127 with a line on stderr when the program cannot be run."""
    parent, program = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we could ask to be told
        sys.exit(1)
    try:
        os.execvp(program[0], program)  # noqa: S606  to become the program is the point
    except OSError as error:
        sys.stderr.write(f"{program[0]} cannot be run: {error.strerror}\n")
        sys.exit(_NOT_FOUND)


if __name__ == "__main__":
    main()
