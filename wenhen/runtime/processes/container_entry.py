"""Prepare writable folders in the container, then become the program.

The image is read-only, and the programs need two folders that they can write to: one for the machine code that numba
makes (a function without a place for it cannot even be imported), and one for the figures that processes share. Both
stand in memory and begin anew with the container; the machine code begins as the image was warmed, so nothing is
compiled a second time.
"""

import os
import shutil
import sys
from pathlib import Path

CODE_VARIABLE = "NUMBA_CACHE_DIR"
WARMED_VARIABLE = "WENHEN_WARMED"  # where the image keeps what was compiled when it was built
FIGURES_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_NOT_FOUND_STATUS = 127


def prepare_folders(environment: dict[str, str]) -> None:
    """Fill the folder of machine code from the image, where it is not filled yet, and empty that of the figures."""
    code, warmed = environment.get(CODE_VARIABLE), environment.get(WARMED_VARIABLE)
    if code and warmed and not Path(code).exists():
        shutil.copytree(warmed, code)
    if figures := environment.get(FIGURES_VARIABLE):
        shutil.rmtree(figures, ignore_errors=True)
        Path(figures).mkdir(parents=True)


def main(program: list[str]) -> None:
    """Replace this process; exit status 127 with a line on stderr where that cannot be."""
    try:
        prepare_folders(dict(os.environ))
        os.execvp(program[0], program)  # noqa: S606  to become the program is the point
    except OSError as error:
        sys.stderr.write(f"{error.filename or program[0]}: {error.strerror}\n")
        sys.exit(_NOT_FOUND_STATUS)


if __name__ == "__main__":
    main(sys.argv[1:] or ["wenhen", "doctor"])
