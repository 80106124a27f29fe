"""Make private folders and files, hold long sequences on disk, and limit uploads that are stored unchanged."""

import os
import pickle
import stat
import tempfile
from array import array
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatch
from io import BufferedWriter
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, overload

from wenhen.kit.errors import SetupError, TooLarge
from wenhen.kit.size_and_time_limits import MAX_UPLOAD_MB

# Folders and files that only their owner may read: the data include sessions of sites, and unpublished texts.


ANY_NAME: Final = ("*",)


def make_private_folder(folder: Path, ours: Collection[str] = ANY_NAME) -> None:
    """Make a folder if it is missing, and make it private if others may read it.

    An existing folder is only made private if this user owns it and all its entries match the patterns `ours`, because
    the setting may name a home folder, or `/`. Raises `SetupError` if it may not be made private, and `OSError`.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    state = folder.stat()
    if not stat.S_IMODE(state.st_mode) & 0o077:
        return
    strange = any(not any(fnmatch(entry.name, pattern) for pattern in ours) for entry in folder.iterdir())
    if state.st_uid != os.geteuid() or strange or state.st_mode & stat.S_ISVTX:
        raise SetupError("server.open_folder", folder=folder)
    folder.chmod(0o700)


def open_private_file(path: Path) -> BufferedWriter:
    """Create a private file and open it for writing. Raises `OSError`."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


# A long sequence of records that is read repeatedly, in a temporary file to save memory.


T = TypeVar("T")
MAX_RECORDS_IN_MEMORY: Final = 2_000  # more records are moved to a file
_BUFFER_BYTES: Final = 1 << 20  # bytes


class RecordPile(Generic[T]):
    """Collects records one by one."""

    def __init__(self) -> None:
        self._few: list[T] = []
        self._many: _FileSequence[T] | None = None

    def add(self, record: T) -> None:
        """Append a record."""
        if self._many is None and len(self._few) >= MAX_RECORDS_IN_MEMORY:
            self._many = _FileSequence()
            for item in self._few:
                self._many.add(item)
            self._few = []
        if self._many is None:
            self._few.append(record)
        else:
            self._many.add(record)

    def records(self) -> Sequence[T]:
        """Return all records: a tuple, or a sequence that reads the temporary file."""
        return tuple(self._few) if self._many is None else self._many


class _FileSequence(Sequence[T]):
    def __init__(self) -> None:
        # The file has no name, is private to this process, and is deleted with it.
        self._file: Any = tempfile.TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115  stays open with the sequence
        self._places = array("Q")

    def add(self, record: T) -> None:
        self._places.append(self._file.seek(0, 2))
        pickle.dump(record, self._file, protocol=5)

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[T]:
        return (self._read(place) for place in self._places)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._read(place) for place in self._places[index]]
        return self._read(self._places[index])

    def _read(self, place: int) -> T:
        if self._file.tell() != place:
            self._file.seek(place)
        record: T = pickle.load(self._file)  # noqa: S301  written by this process, to a file that no other process has
        return record


def limit_upload(name: str | None, content: bytes, most: int = MAX_UPLOAD_MB) -> bytes:
    """Return the content. Raises TooLarge if it has more than `most` MB."""
    if len(content) > most * 2**20:
        raise TooLarge("asked.too_large", name=name, most=most)
    return content
