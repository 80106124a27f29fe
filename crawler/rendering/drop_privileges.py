"""Become another program as a user without rights.

Chromium has no sandbox for root. As `nobody` it locks its pages in, and what breaks out of it owns nothing. The folder
for its profile, which who starts it has just made, becomes its own.
"""

import os
import pwd
import sys

UNPRIVILEGED_USER = "nobody"
_PROFILE_SWITCH = "--user-data-dir="
_EXIT_NOT_FOUND = 127


def main(program: list[str]) -> None:
    """Replace this process; exit status 127 with a line on stderr where that cannot be."""
    try:
        user = pwd.getpwnam(UNPRIVILEGED_USER)
        home = next(
            (one.removeprefix(_PROFILE_SWITCH) for one in program if one.startswith(_PROFILE_SWITCH)), "/nonexistent"
        )
        if os.path.isdir(home):  # noqa: PTH112  nothing but what the interpreter has loaded anyway
            os.chown(home, user.pw_uid, user.pw_gid, follow_symlinks=False)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.execve(program[0], program, {**os.environ, "HOME": home})  # noqa: S606  to become the program is the point
    except (OSError, KeyError) as error:
        sys.stderr.write(f"{program[0]} cannot be run as {UNPRIVILEGED_USER}: {error}\n")
        sys.exit(_EXIT_NOT_FOUND)


if __name__ == "__main__":
    main(sys.argv[1:])
