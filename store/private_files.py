"""Folders and files for their owner alone: what is stored holds sessions of sites, and texts that are not public."""

import os
import stat
from collections.abc import Collection
from fnmatch import fnmatch
from io import BufferedWriter
from pathlib import Path
from typing import Final

from store.errors import SetupError

ANYTHING: Final = ("*",)


def make_private(folder: Path, ours: Collection[str] = ANYTHING) -> None:
    """Make a folder where it is missing, and close one that others can look into, if it is ours and holds nothing but
    what fits these patterns: somebody may have named a home, or `/`.

    Raises `SetupError` for one that would have to be closed and is not ours, `OSError`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if not stat.S_IMODE(found.st_mode) & 0o077:
        return
    strange = any(not any(fnmatch(one.name, pattern) for pattern in ours) for one in folder.iterdir())
    if found.st_uid != os.geteuid() or strange or found.st_mode & stat.S_ISVTX:
        raise SetupError("server.open_folder", folder=folder)
    folder.chmod(0o700)


def open_private(path: Path) -> BufferedWriter:
    """A new file to be written. Raises `OSError`."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))
