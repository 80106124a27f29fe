"""Store the initials of works, and the owners of numbers in the index, in a file that all processes of a machine map.

The file is a cache of MongoDB. It is an LMDB database, which a killed writer leaves intact. A work that is missing from
it is read from MongoDB, and added. Only a damaged file is removed. A full disk, a quota or too many readers leave what
it holds.
"""

from __future__ import annotations

import json
import logging
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from hashlib import blake2b, sha256
from pathlib import Path
from secrets import token_hex
from struct import Struct
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import lmdb
import numpy as np
from numpy.typing import NDArray

from fingerprinter.alphabet import Initials, code_points, pack_bounds, unpack_initials
from fingerprinter.features.model import FEATURE_PARAMETERS

LETTERS_FOLDER: Final = "letters"  # in the data folder
LIBRARY_NAME_MARK: Final = "letters:library"
MAX_FILE_BYTES: Final = 1 << 38  # bytes; the file is only as long as its content
_FORM: Final = 2  # increased when the same initials give other bytes
# CRC-32 of the rest, number of initials, code points of the text, bytes per code point of an initial, mark of the text.
_HEADER: Final = Struct("<IIII8s")
_MARK_BYTES: Final = 8
_META_PAGES: Final = 2  # of LMDB, at the beginning of the file
_KEY_BYTES: Final = 16
_CHECKSUM_BYTES: Final = 4
_VERSION_BYTES: Final = 4  # of the version of a work
_MAX_READERS: Final = 1024  # threads of all processes that read at the same time
_SHORT_POINT_BYTES: Final = 2
_LAST_SHORT_POINT: Final = 0xFFFF  # largest code point of two bytes
_LOCK_FILE_BYTES: Final = (_MAX_READERS - 1) * 64 + 192  # as LMDB makes it: 64 for each reader but one, and a header
_OLD_AFTER_SECONDS: Final = 86_400  # a file of another generation that nobody has written for so long is removed

if TYPE_CHECKING:
    from wenhen.kit.mongo.marks import Marks

logger = logging.getLogger(__name__)

WorkVersion = tuple[str, int]  # id of a work, and its version


class WorkLetters(NamedTuple):
    """The n initials of one version of a work, from which `Initials` are made again without a reading of the text.

    codes: u8[n]. points: u16[n] or u32[n], the code point of each. bounds: as `pack_bounds` makes them. length: code
    points of the text. mark: identifies the text.
    """

    codes: NDArray[np.uint8]
    points: NDArray[np.uint16] | NDArray[np.uint32]
    bounds: bytes | memoryview
    length: int
    mark: bytes

    @classmethod
    def of(cls, text: str, letters: Initials) -> WorkLetters:
        """Return the initials of a text."""
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        points = code_points(text)[letters.starts]
        return cls(letters.codes, points, pack_bounds(letters), letters.length, _text_mark(digest))

    def initials_of(self, text_digest: str) -> Initials | None:
        """Return the initials as `to_initials` makes them, or None if they are those of another text."""
        if self.mark != _text_mark(text_digest):
            return None
        return unpack_initials(self.codes, self.bounds, self.length)


def _text_mark(digest: str) -> bytes:
    return bytes.fromhex(digest)[:_MARK_BYTES]


def name_library(marks: Marks) -> str:
    """Return the name of the library of this database. The first call makes the name."""
    name = (marks.get(LIBRARY_NAME_MARK) or {}).get("name")
    if not name:
        marks.set(LIBRARY_NAME_MARK, {"name": token_hex(8)})
        name = (marks.get(LIBRARY_NAME_MARK) or {}).get("name")
    return str(name)


def forget_library_name(marks: Marks) -> None:
    """Forget the name after a restore: works may have the same ids and versions with other texts."""
    if marks.get(LIBRARY_NAME_MARK):
        marks.set(LIBRARY_NAME_MARK, {})


class LetterFile:
    """The letter file of a folder. Any number of processes and threads may read; one at a time writes.

    No method raises for a problem with the file. Unreadable entries count as absent, and failed writes are dropped.
    """

    def __init__(self, folder: Path, library_name: Callable[[], str], *, frozen: bool = False) -> None:
        """Open the letter file of a folder lazily.

        library_name: returns the name of the library of the works. Works of another library may have the same ids.
        frozen: the file is never written, and its folder may be read-only.
        """
        self._ask_library_name = library_name
        self._path = folder / letter_file_name()
        self._frozen = frozen

    @contextmanager
    def map(self, versions: Iterable[WorkVersion]) -> Iterator[dict[WorkVersion, WorkLetters]]:
        """Map the initials of the works that are in the file. The arrays are valid inside the context."""
        with self._reading() as get:
            unpacked = ((version, _unpack(get(self._key(version)))) for version in versions)
            yield {version: letters for version, letters in unpacked if letters is not None}

    def find_names(self, numbers: Iterable[int]) -> dict[int, WorkVersion]:
        """Return the owners of numbers in the works index, as far as they are in the file."""
        with self._reading() as get:
            unpacked = ((number, _unpack_name(get(self._name_key(number)))) for number in numbers)
            return {number: name for number, name in unpacked if name is not None}

    def check(self, versions: Iterable[WorkVersion]) -> LetterCheck:
        """Count how many of these are there, missing or damaged."""
        present = missing = damaged = 0
        with self._reading() as get:
            for version in versions:
                value = get(self._key(version))
                missing += value is None
                intact = _unpack(value) is not None
                present += intact
                damaged += value is not None and not intact
        return LetterCheck(present, missing, damaged)

    def put(self, letters: Mapping[WorkVersion, WorkLetters], names: Mapping[int, WorkVersion] | None = None) -> None:
        """Store initials, replacing damaged ones, and the owners of numbers. If the disk is full, none is stored.

        A number belongs to one version of one work for ever.
        """

        def put_all(transaction: lmdb.Transaction) -> None:
            for version, each in letters.items():
                transaction.put(self._key(version), _pack(each))
            for number, version in (names or {}).items():
                transaction.put(self._name_key(number), _pack_name(version))

        self._change(put_all)

    def clear(self) -> None:
        """Remove all initials. The space in the file is reused."""
        environment = _open_environment(self._path, frozen=False)
        if environment is not None:
            self._change(lambda transaction: transaction.drop(environment.open_db(), delete=False))

    def size(self) -> int:
        """Return the size of the file in bytes."""
        with suppress(OSError):
            return self._path.stat().st_size
        return 0

    def seal(self) -> None:
        """Unmap the file and remove its lock file, so that it can be read as a frozen file."""
        with _files_lock:
            process, mapped = _files.pop(self._path, (0, None))
        if mapped is not None and process == os.getpid():
            mapped.close()
        _lock_path(self._path).unlink(missing_ok=True)

    @cached_property
    def _library_name(self) -> str:
        return self._ask_library_name()

    def _key(self, version: WorkVersion) -> bytes:
        id, number = version
        return blake2b(f"{self._library_name} {number} {id}".encode(), digest_size=_KEY_BYTES).digest()

    def _name_key(self, number: int) -> bytes:
        return blake2b(f"{self._library_name} number {number}".encode(), digest_size=_KEY_BYTES).digest()

    @contextmanager
    def _reading(self) -> Iterator[Callable[[bytes], memoryview | None]]:
        """Return a function that returns the value of a key. Values are valid inside the context."""
        environment = _open_environment(self._path, frozen=self._frozen)
        if environment is None:
            yield lambda _: None
            return
        try:
            transaction = environment.begin(buffers=True)
        except lmdb.Error as error:
            _handle_error(self._path, error, frozen=self._frozen)
            yield lambda _: None
            return

        def get(key: bytes) -> memoryview | None:
            try:
                value: memoryview | None = transaction.get(key)
            except lmdb.Error as error:
                _handle_error(self._path, error, frozen=self._frozen)
                return None
            return value

        with transaction:
            yield get

    def _change(self, change: Callable[[lmdb.Transaction], object]) -> None:
        if self._frozen:
            return
        environment = _open_environment(self._path, frozen=False)
        if environment is None:
            return
        try:
            with environment.begin(write=True) as transaction:
                change(transaction)
        except lmdb.Error as error:
            _handle_error(self._path, error, frozen=False)


class LetterCheck(NamedTuple):
    """Counts of works by the state of their initials in the file."""

    there: int
    missing: int
    damaged: int


def letter_file_name() -> str:
    """Return the name of the letter file of this release. A release that reads texts otherwise has another."""
    return f"{_generation()}.lmdb"


def _generation() -> str:
    """Return a name for the current format and conversion; other initials are kept in another file."""
    made_by = json.dumps([_FORM, FEATURE_PARAMETERS["reading"]])
    return blake2b(made_by.encode(), digest_size=6).hexdigest()


def _pack(letters: WorkLetters) -> bytes:
    short = not len(letters.points) or int(letters.points.max()) <= _LAST_SHORT_POINT
    points = letters.points.astype(np.uint16 if short else np.uint32)
    # The wider array first, so that both are aligned.
    body = points.tobytes() + letters.codes.tobytes() + letters.bounds
    header = _HEADER.pack(0, len(letters.codes), letters.length, points.itemsize, letters.mark)
    rest = header[_CHECKSUM_BYTES:] + body
    return zlib.crc32(rest).to_bytes(_CHECKSUM_BYTES, "little") + rest


def _unpack(value: bytes | memoryview | None) -> WorkLetters | None:
    """Unpack initials. Return None if they are absent or damaged."""
    if value is None or len(value) < _HEADER.size:
        return None
    checksum, initials, length, width, mark = _HEADER.unpack_from(value)
    if zlib.crc32(value[_CHECKSUM_BYTES:]) != checksum:
        return None
    codes_at = _HEADER.size + initials * width
    codes = np.frombuffer(value, np.uint8, initials, codes_at)
    bounds = value[codes_at + initials :]
    if width == _SHORT_POINT_BYTES:
        return WorkLetters(codes, np.frombuffer(value, np.uint16, initials, _HEADER.size), bounds, length, mark)
    return WorkLetters(codes, np.frombuffer(value, np.uint32, initials, _HEADER.size), bounds, length, mark)


def _pack_name(version: WorkVersion) -> bytes:
    id, number = version
    body = number.to_bytes(_VERSION_BYTES, "little") + id.encode()
    return zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little") + body


def _unpack_name(value: bytes | memoryview | None) -> WorkVersion | None:
    """Unpack id and version of a work. Return None if they are absent or damaged."""
    if value is None:
        return None
    packed = bytes(value)
    body = packed[_CHECKSUM_BYTES:]
    if len(body) < _VERSION_BYTES or zlib.crc32(body) != int.from_bytes(packed[:_CHECKSUM_BYTES], "little"):
        return None
    return body[_VERSION_BYTES:].decode(), int.from_bytes(body[:_VERSION_BYTES], "little")


class _MappedFile:
    """An environment, and a descriptor of its file that tells how long the file is."""

    def __init__(self, environment: lmdb.Environment, path: Path) -> None:
        self.environment = environment
        self._page_bytes = environment.stat()["psize"]
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._size = _META_PAGES * self._page_bytes  # the largest that was seen

    def is_whole(self) -> bool:
        """Return whether the file has all its pages. LMDB never shortens a file, but others may.

        Reading a page beyond the end of the file would kill the process.
        """
        size = os.fstat(self._descriptor).st_size
        if size < self._size:
            return False
        self._size = size
        return bool((self.environment.info()["last_pgno"] + 1) * self._page_bytes <= size)

    def close(self) -> None:
        self.environment.close()
        os.close(self._descriptor)


# A process may open a file only once, and a fork must not use the environment of its parent.
_files: dict[Path, tuple[int, _MappedFile | None]] = {}
_files_lock: Final = Lock()


def _open_environment(path: Path, *, frozen: bool) -> lmdb.Environment | None:
    """Return the environment of a file, or None if the file cannot be used."""
    with _files_lock:
        process, mapped = _files.get(path, (0, None))
        if process != os.getpid():
            mapped = _map_file(path, frozen=frozen)
            _files[path] = os.getpid(), mapped
        elif mapped is not None and not mapped.is_whole():
            # It stays mapped, because another thread may be reading it.
            _files[path] = os.getpid(), None
            _remove_file(path, "it was cut off", frozen=frozen)
            return None
        return None if mapped is None else mapped.environment


def _map_file(path: Path, *, frozen: bool) -> _MappedFile | None:
    if frozen and not path.is_file():  # the library was frozen before such files existed
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not frozen:
            _remove_old_generations(path)
            _reserve_lock_file(path)
        environment = lmdb.open(
            str(path),
            map_size=MAX_FILE_BYTES,
            subdir=False,
            readonly=frozen,
            create=not frozen,
            lock=not frozen,
            metasync=False,  # a crash of the machine may lose the last commit, but nothing before it
            readahead=False,
            max_readers=_MAX_READERS,
        )
        mapped = _MappedFile(environment, path)
        if mapped.is_whole():
            return mapped
        mapped.close()
        _remove_file(path, "it is cut off", frozen=frozen)
    except (lmdb.Error, OSError) as error:
        if _is_damage(error):
            _remove_file(path, error, frozen=frozen)
        else:
            _warn(path, error)
    return None


# Errors of the surroundings, with which the file is as good as before. LMDB reports most as a bare `lmdb.Error` with
# the words of the operating system: a full disk as "No space left on device", or as "Input/output error" when a part
# of a write still had room.
_OUTSIDE_ERRORS: Final = (
    lmdb.DiskError,
    lmdb.LockError,
    lmdb.MapFullError,
    lmdb.MemoryError,
    lmdb.PanicError,
    lmdb.ReadersFullError,
    lmdb.ReadonlyError,
    lmdb.TlsFullError,
)


def _is_damage(error: Exception) -> bool:
    """Return whether an error says that the file itself is damaged."""
    return isinstance(error, lmdb.Error) and type(error) is not lmdb.Error and not isinstance(error, _OUTSIDE_ERRORS)


def _handle_error(path: Path, error: lmdb.Error, *, frozen: bool) -> None:
    """Go on without the file. Remove a damaged one, so that the next process makes it anew."""
    damaged = _is_damage(error)
    if damaged or isinstance(error, lmdb.PanicError):  # after a panic every use of this environment fails
        with _files_lock:
            _files[path] = os.getpid(), None
    if damaged:
        _remove_file(path, error, frozen=frozen)
    else:
        _warn(path, error)


def _warn(path: Path, reason: object) -> None:
    logger.warning("cannot use %s now, and read the texts of works from MongoDB: %s", path, reason)


def _remove_file(path: Path, reason: object, *, frozen: bool) -> None:
    logger.warning("%s is damaged, and the texts of works are read from MongoDB: %s", path, reason)
    if not frozen:
        _unlink_with_lock(path)


def _remove_old_generations(path: Path) -> None:
    """Remove the files of other forms and conversions. A process that has mapped one reads it to its own end."""
    for other in path.parent.glob(f"*{path.suffix}"):
        with suppress(OSError):
            if other != path and time.time() - other.stat().st_mtime > _OLD_AFTER_SECONDS:
                logger.info("remove %s, which is of another version of Wenhen", other)
                _unlink_with_lock(other)


def _unlink_with_lock(path: Path) -> None:
    with suppress(OSError):
        _lock_path(path).unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def _reserve_lock_file(path: Path) -> None:
    """Give the lock file its blocks on the disk. Raise OSError without room.

    LMDB leaves them to the first write into the mapped file. On a full disk that write kills the process.
    """
    if not hasattr(os, "posix_fallocate"):
        return
    lock = os.open(_lock_path(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        status = os.fstat(lock)
        size = max(status.st_size, _LOCK_FILE_BYTES)
        if status.st_blocks * 512 < size:
            os.posix_fallocate(lock, 0, size)
    finally:
        os.close(lock)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")
