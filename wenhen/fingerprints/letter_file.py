"""Keep the initials of works in a file that all processes of a machine map into their memory.

The file is a cache: MongoDB holds the texts that it is made of. It is an LMDB database, which a process that is killed
while it writes leaves as it was before. A work that is not in it yet is read from MongoDB, and put in.
"""

from __future__ import annotations

import json
import logging
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import lmdb
import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points
from fingerprinter.features.model import FEATURE_PARAMETERS

LETTERS_FOLDER: Final = "letters"  # in the data folder
LIBRARY_NAME_MARK: Final = "letters:library"
MAX_FILE_BYTES: Final = 1 << 38  # bytes; the file is as long as what is in it
_FORM: Final = 1  # raised when the same letters give other bytes
_HEADER: Final = Struct("<III")  # CRC-32 of what follows, initials, bytes of a code point
_KEY_BYTES: Final = 16
_MAX_READERS: Final = 1024  # threads of all processes that read at the same time
_LAST_SHORT_POINT: Final = 0xFFFF  # code point that two bytes hold

if TYPE_CHECKING:
    from wenhen.kit.mongo.marks import Marks

logger = logging.getLogger(__name__)

WorkVersion = tuple[str, int]  # id of a work, and its version


class WorkLetters(NamedTuple):
    """The n initials of one version of a work. codes: u8[n]. points: u32[n], the code point of each."""

    codes: NDArray[np.uint8]
    points: NDArray[np.uint32]

    @classmethod
    def of(cls, text: str, letters: Initials) -> WorkLetters:
        """Those of a text."""
        return cls(letters.codes, code_points(text)[letters.starts])


def name_library(marks: Marks) -> str:
    """Return the name of the library of this database, which the first who asks makes."""
    name = (marks.get(LIBRARY_NAME_MARK) or {}).get("name")
    if not name:
        marks.set(LIBRARY_NAME_MARK, {"name": token_hex(8)})
        name = (marks.get(LIBRARY_NAME_MARK) or {}).get("name")
    return str(name)


def forget_library_name(marks: Marks) -> None:
    """Forget the name, after works were put back as they were at another time."""
    if marks.get(LIBRARY_NAME_MARK):
        marks.set(LIBRARY_NAME_MARK, {})


class LetterFile:
    """The file in one folder. Any number of processes and threads read it, one at a time writes.

    Nothing that happens to the file raises: what cannot be read is absent, what cannot be written is left out.
    """

    def __init__(self, folder: Path, library_name: Callable[[], str], *, frozen: bool = False) -> None:
        """library_name: gives the name of the library that the works are of; those of another may have the same ids.
        frozen: nobody writes the file any more, and the folder may be read-only.
        """
        self._ask_library_name = library_name
        self._path = folder / f"{_generation()}.lmdb"
        self._frozen = frozen

    def read(self, versions: Iterable[WorkVersion]) -> Iterator[tuple[WorkVersion, WorkLetters]]:
        """Yield the letters of those that are there. They hold until the next ones are asked for."""
        for version, value in self._values(versions):
            letters = None if value is None else _unpack(value)
            if letters is not None:
                yield version, letters

    def check(self, versions: Iterable[WorkVersion]) -> LetterCheck:
        """Count what is there, missing and damaged of these."""
        there = missing = damaged = 0
        for _, value in self._values(versions):
            missing += value is None
            intact = value is not None and _unpack(value) is not None
            there += intact
            damaged += value is not None and not intact
        return LetterCheck(there, missing, damaged)

    def put(self, letters: Mapping[WorkVersion, WorkLetters]) -> None:
        """Put letters, in place of damaged ones too. Where the disk is full, none of them is put."""
        self._change(
            lambda transaction: [transaction.put(self._key(one), _pack(each)) for one, each in letters.items()]
        )

    def clear(self) -> None:
        """Remove all letters. Their room is used again."""
        environment = _open_environment(self._path, frozen=False)
        if environment is not None:
            self._change(lambda transaction: transaction.drop(environment.open_db(), delete=False))

    def size(self) -> int:
        """Return the bytes of the file."""
        with suppress(OSError):
            return self._path.stat().st_size
        return 0

    def seal(self) -> None:
        """Unmap the file, and leave it alone in its folder, to be read as a frozen one."""
        with _environment_lock:
            process, environment = _environments.pop(self._path, (0, None))
        if environment is not None and process == os.getpid():
            environment.close()
        _lock_path(self._path).unlink(missing_ok=True)

    @cached_property
    def _library_name(self) -> str:
        return self._ask_library_name()

    def _key(self, version: WorkVersion) -> bytes:
        id, number = version
        return blake2b(f"{self._library_name} {number} {id}".encode(), digest_size=_KEY_BYTES).digest()

    def _values(self, versions: Iterable[WorkVersion]) -> Iterator[tuple[WorkVersion, memoryview | None]]:
        environment = _open_environment(self._path, frozen=self._frozen)
        if environment is None:
            yield from ((version, None) for version in versions)
            return
        try:
            with environment.begin(buffers=True) as transaction:
                for version in versions:
                    yield version, transaction.get(self._key(version))
        except lmdb.Error as error:
            _discard(self._path, error, frozen=self._frozen)

    def _change(self, change: Callable[[lmdb.Transaction], object]) -> None:
        environment = _open_environment(self._path, frozen=False)
        if environment is None:
            return
        try:
            with environment.begin(write=True) as transaction:
                change(transaction)
        except (lmdb.MapFullError, lmdb.DiskError) as error:
            logger.warning("no room for letters of works in %s: %s", self._path, error)
        except lmdb.Error as error:
            if "No space" in str(error):
                logger.warning("no room for letters of works in %s: %s", self._path, error)
            else:
                _discard(self._path, error, frozen=False)


class LetterCheck(NamedTuple):
    """Works by what the file has of them."""

    there: int
    missing: int
    damaged: int


def _generation() -> str:
    """Name what the file is made by; letters that were made otherwise stand in another file."""
    made_by = json.dumps([_FORM, FEATURE_PARAMETERS["reading"]])
    return blake2b(made_by.encode(), digest_size=6).hexdigest()


def _pack(letters: WorkLetters) -> bytes:
    short = not len(letters.points) or int(letters.points.max()) <= _LAST_SHORT_POINT
    points = letters.points.astype(np.uint16 if short else np.uint32)
    body = points.tobytes() + letters.codes.tobytes()  # the wider first, so that both are aligned
    header = _HEADER.pack(0, len(letters.codes), points.itemsize)[4:]
    return zlib.crc32(body, zlib.crc32(header)).to_bytes(4, "little") + header + body


def _unpack(value: bytes | memoryview) -> WorkLetters | None:
    """None for damaged ones."""
    if len(value) < _HEADER.size:
        return None
    checksum, initials, width = _HEADER.unpack_from(value)
    if len(value) != _HEADER.size + initials * (1 + width) or zlib.crc32(value[4:]) != checksum:
        return None
    points = np.frombuffer(value, np.uint16 if width == np.uint16().itemsize else np.uint32, initials, _HEADER.size)
    codes = np.frombuffer(value, np.uint8, initials, _HEADER.size + initials * width)
    return WorkLetters(codes, points.astype(np.uint32))


# A file may be opened once in a process, and not be taken over by a fork.


_environments: dict[Path, tuple[int, lmdb.Environment | None]] = {}
_environment_lock: Final = Lock()


def _open_environment(path: Path, *, frozen: bool) -> lmdb.Environment | None:
    with _environment_lock:
        process, environment = _environments.get(path, (0, None))
        if process != os.getpid():
            environment = _map_file(path, frozen=frozen)
            _environments[path] = os.getpid(), environment
        return environment


def _map_file(path: Path, *, frozen: bool) -> lmdb.Environment | None:
    if frozen and not path.is_file():  # of a library that was frozen before there were such files
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        environment = lmdb.open(
            str(path),
            map_size=MAX_FILE_BYTES,
            subdir=False,
            readonly=frozen,
            create=not frozen,
            lock=not frozen,
            metasync=False,  # a crash of the machine may lose the last commit, and nothing before it
            readahead=False,
            max_readers=_MAX_READERS,
        )
        # Reading a page that is beyond the end of the file would end the process.
        if (environment.info()["last_pgno"] + 1) * environment.stat()["psize"] <= path.stat().st_size:
            return environment
        environment.close()
        _remove_file(path, "it is cut off", frozen=frozen)
    except (lmdb.Error, OSError) as error:
        _remove_file(path, error, frozen=frozen)
    return None


def _discard(path: Path, reason: object, *, frozen: bool) -> None:
    """Do without a damaged file in this process. The next process makes it anew."""
    with _environment_lock:
        _environments[path] = os.getpid(), None
    _remove_file(path, reason, frozen=frozen)


def _remove_file(path: Path, reason: object, *, frozen: bool) -> None:
    logger.warning("cannot use %s, and read the texts of works from MongoDB: %s", path, reason)
    if not frozen:
        with suppress(OSError):
            _lock_path(path).unlink(missing_ok=True)
            path.unlink(missing_ok=True)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")
