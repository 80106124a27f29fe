"""Files that commands read and write."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from store.errors import BadInput
from wenhen.cli.shared.output import err


class NewFile(click.Path):
    """A file to be written, refused before the work begins where there is no folder for it."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, dir_okay=False, writable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"There is no folder {path.parent}: make it first.", param, ctx)
        return path


def read_file(path: Path) -> bytes:
    """What it holds. Raises `BadInput`."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path | str, error: OSError) -> BadInput:
    """What is said of a file that cannot be read."""
    return BadInput("files.unreadable", path=path, error=error.strerror or error)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raises `BadInput` where the block cannot write the file."""
    try:
        yield
    except OSError as error:
        raise BadInput("files.unwritable", path=path, error=error.strerror or error) from error


def write_file(path: Path, content: bytes) -> None:
    """Write it, and tell on stderr where and how large. Raises `BadInput`."""
    with writing(path):
        path.write_bytes(content)
    err().print(f"{path}: {len(content)} bytes")
