"""The files of a backup: compressed, sealed where there is a key, each known by its digest.

A sealed file is AES-256-GCM (NIST SP 800-38D) over pieces of 1 MiB, each with its place and whether it is the last
under the seal, so that none can be taken out, exchanged or cut off. Its key is a file's own (`backup_key.py`).
"""

import gzip
import hashlib
import io
import os
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from cryptography.exceptions import InvalidTag

from services.backups.backup_key import FIRST_MARK, MARK, BackupKey
from store.errors import BadInput

PIECE: Final = 1 << 20
LEVEL: Final = 1  # of compression: bodies are packed in the store, and WARC files as they are
_TAG: Final = 16
_LENGTH: Final = 4  # bytes that say how long a document of BSON is, itself among them


class TakesBytes(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> object: ...


class Digesting:
    """Passes bytes on and takes their SHA-256."""

    def __init__(self, sink: TakesBytes) -> None:
        self._sink = sink
        self._hash = hashlib.sha256()

    def write(self, data: bytes, /) -> int:
        """Pass on."""
        self._hash.update(data)
        self._sink.write(data)
        return len(data)

    def flush(self) -> None:
        """There is nothing to be flushed."""

    @property
    def digest(self) -> str:
        """Of all up to now."""
        return self._hash.hexdigest()


class _Sealing:
    """Bytes in sealed pieces."""

    def __init__(self, file: BinaryIO, key: BackupKey) -> None:
        head, self._cipher = key.for_new_file()
        file.write(head)
        self._file = file
        self._rest = bytearray()
        self._place = 0

    def write(self, data: bytes, /) -> int:
        self._rest += data
        while len(self._rest) > PIECE:
            self._seal(bytes(self._rest[:PIECE]), last=False)
            del self._rest[:PIECE]
        return len(data)

    def end(self) -> None:
        self._seal(bytes(self._rest), last=True)

    def _seal(self, piece: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._place, last=last), piece, None))
        self._place += 1


class _Unsealing(io.RawIOBase):
    """The bytes that were sealed. BadInput: another key, or the file was changed or cut off."""

    def __init__(self, file: BinaryIO, mark: bytes, key: BackupKey) -> None:
        self._file, self._cipher = file, key.for_file(mark, file)
        self._next = file.read(PIECE + _TAG)
        self._open = b""
        self._place = 0
        self._over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]  # typeshed's Buffer
        if not self._open and not self._over:
            self._open_next()
        taken = self._open[: len(buffer)]
        buffer[: len(taken)] = taken
        self._open = self._open[len(taken) :]
        return len(taken)

    def _open_next(self) -> None:
        piece, self._next = self._next, self._file.read(PIECE + _TAG)
        self._over = not self._next
        try:
            self._open = self._cipher.decrypt(_nonce(self._place, last=self._over), piece, None)
        except InvalidTag as error:
            raise BadInput("backup.not_opened", file=self._file.name) from error
        self._place += 1


@contextmanager
def writing(path: Path, key: BackupKey | None) -> Iterator[Digesting]:
    """A part, private to its owner and on the disk when the block ends; what is written into it is compressed."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        sealing = _Sealing(file, key) if key else None
        with gzip.GzipFile("", "wb", compresslevel=LEVEL, fileobj=sealing or file, mtime=0) as packed:  # type: ignore[arg-type]  # it only writes
            yield Digesting(packed)
        if sealing:
            sealing.end()
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


@contextmanager
def reading(path: Path, key: BackupKey | None) -> Iterator[BinaryIO]:
    """What was written into a part. BadInput: it is missing, sealed under another key, or damaged."""
    try:
        with path.open("rb") as file:
            mark = file.read(len(MARK))
            sealed = mark in (MARK, FIRST_MARK)
            if sealed and not key:
                raise BadInput("backup.needs_key", file=path)
            if not sealed:
                file.seek(0)
            plain = io.BufferedReader(_Unsealing(file, mark, key)) if sealed and key else file
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield unpacked  # type: ignore[misc]  # typeshed has GzipFile no BinaryIO
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput("backup.unreadable", file=path, error=error) from error


def documents_in(part: BinaryIO) -> Iterator[bytes]:
    """The documents of BSON that stand in a part one after the other."""
    while head := part.read(_LENGTH):
        yield head + part.read(int.from_bytes(head, "little") - _LENGTH)


class Digested:
    """The same pieces; and the SHA-256 of those that were taken, together."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._hash.update(piece)
            yield piece

    @property
    def digest(self) -> str:
        """Of all up to now."""
        return self._hash.hexdigest()


def digest_of(pieces: Iterable[bytes]) -> str:
    """The SHA-256 of these together."""
    digested = Digested(pieces)
    deque(digested, maxlen=0)
    return digested.digest


def _nonce(place: int, *, last: bool) -> bytes:
    return place.to_bytes(11, "big") + bytes([last])
