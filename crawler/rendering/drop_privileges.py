"""Replace this process by a program that runs without privileges.

Chromium has no sandbox under root. As `nobody` its pages are locked in, and code that escapes owns nothing. `nobody`
becomes the owner of the new profile folder.
"""

import os
import pwd
import sys

UNPRIVILEGED_USER = "nobody"
_PROFILE_SWITCH = "--user-data-dir="
_EXIT_NOT_FOUND = 127


def main(program: list[str]) -> None:
    """Replace this process. If that fails, write a line to stderr and exit with status 127."""
    try:
        user = pwd.getpwnam(UNPRIVILEGED_USER)
        home = next(
            (argument.removeprefix(_PROFILE_SWITCH) for argument in program if argument.startswith(_PROFILE_SWITCH)),
            "/nonexistent",
        )
        if os.path.isdir(home):  # noqa: PTH112  pathlib is not loaded yet
            os.chown(home, user.pw_uid, user.pw_gid, follow_symlinks=False)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
        os.execve(program[0], program, {**os.environ, "HOME": home})  # noqa: S606  replacing the process is the purpose
    except (OSError, KeyError) as error:
        sys.stderr.write(f"{program[0]} cannot be run as {UNPRIVILEGED_USER}: {error}\n")
        sys.exit(_EXIT_NOT_FOUND)


if __name__ == "__main__":
    main(sys.argv[1:])
