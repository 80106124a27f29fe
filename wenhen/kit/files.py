"""Make private folders and files, limit uploads, and keep long sequences on disk."""

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

# Folders and files for their owner alone: what is stored holds sessions of sites, and texts that are not public.


ANY_NAME: Final = ("*",)


def make_private_folder(folder: Path, ours: Collection[str] = ANY_NAME) -> None:
    """Make a folder where it is missing, and close one that others can look into, if it is ours and holds nothing but
    what fits these patterns: somebody may have named a home, or `/`.

    Raises `SetupError` for one that would have to be closed and is not ours, `OSError`.
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
    """A new file to be written. Raises `OSError`."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


# Files that people hand in to be kept as they are: papers of holders, what came back of notices, receipts.


MAX_UPLOAD_MB: Final = 16


def limit_upload(name: str | None, content: bytes, most: int = MAX_UPLOAD_MB) -> bytes:
    """The content. TooLarge: it has more than so many MB."""
    if len(content) > most * 2**20:
        raise TooLarge("asked.too_large", name=name, most=most)
    return content


# Many records as a sequence that is read again and again and takes next to no memory: they lie in a file.


T = TypeVar("T")
MAX_RECORDS_IN_MEMORY: Final = 2_000  # records, up to which they stay in memory
_BUFFER_BYTES: Final = 1 << 20  # bytes


class RecordPile(Generic[T]):
    """Takes records one after the other."""

    def __init__(self) -> None:
        self._few: list[T] = []
        self._many: _FileSequence[T] | None = None

    def add(self, record: T) -> None:
        """Put a record behind the others."""
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
        """All of them: a tuple, or what reads a file that goes with it."""
        return tuple(self._few) if self._many is None else self._many


class _FileSequence(Sequence[T]):
    def __init__(self) -> None:
        # Without a name, private to this process, and gone with it.
        self._file: Any = tempfile.TemporaryFile(buffering=_BUFFER_BYTES)  # noqa: SIM115  it is open as long as the sequence
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
        record: T = pickle.load(self._file)  # noqa: S301  we wrote it ourselves, into a file that nobody else has
        return record
