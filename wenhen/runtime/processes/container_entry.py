"""Prepare writable folders in the container, then exec the program.

The image is read-only, but the programs need two writable folders: a cache for the machine code of numba (a function
without one cannot even be imported), and a folder for shared metrics. Both are in memory, and new in each container.
The code cache is copied from the image, so that nothing is compiled again.
"""

import os
import shutil
import sys
from pathlib import Path

CODE_VARIABLE = "NUMBA_CACHE_DIR"
WARMED_VARIABLE = "WENHEN_WARMED"  # folder in the image with the code that was compiled at build time
FIGURES_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_NOT_FOUND_STATUS = 127


def prepare_folders(environment: dict[str, str]) -> None:
    """Copy the code cache from the image if it is missing, and empty the metrics folder."""
    code, warmed = environment.get(CODE_VARIABLE), environment.get(WARMED_VARIABLE)
    if code and warmed and not Path(code).exists():
        shutil.copytree(warmed, code)
    if figures := environment.get(FIGURES_VARIABLE):
        shutil.rmtree(figures, ignore_errors=True)
        Path(figures).mkdir(parents=True)


def main(program: list[str]) -> None:
    """Exec the program. Exit with status 127 and a line on stderr if that fails."""
    try:
        prepare_folders(dict(os.environ))
        os.execvp(program[0], program)  # noqa: S606  exec is intended
    except OSError as error:
        sys.stderr.write(f"{error.filename or program[0]}: {error.strerror}\n")
        sys.exit(_NOT_FOUND_STATUS)


if __name__ == "__main__":
    main(sys.argv[1:] or ["wenhen", "doctor"])
