"""Write and read backup files: compressed, encrypted, and known by their digest."""

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
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from wenhen.kit.errors import BadInput

# The key that the files of a backup are sealed under, each with a cipher of its own.
#
# From the installation's backup key and a salt scrypt (RFC 7914) derives a key, once for a backup: it is made to be
# slow. From that and a file's own salt HKDF (RFC 5869) derives the key of the file. In backups of the first form scrypt
# derived the key of each file, from the file's salt.


SEALED_FILE_MARK: Final = b"wenhen-backup-2\n"  # that a sealed file begins with
FIRST_FORM_MARK: Final = b"wenhen-backup-1\n"  # of the first form
_SALT_BYTES: Final = 16  # bytes
_KEY_BYTES: Final = 32  # bytes of a key
_SCRYPT_COST: Final = 1 << 15  # of scrypt: its n


class BackupKey:
    """The installation's backup key, at work on one backup."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._salt: bytes | None = None  # of the backup: that of the first file which was read or written
        self._derived: dict[bytes, bytes] = {}

    def for_new_file(self) -> tuple[bytes, AESGCM]:
        """What a file begins with, and the cipher of its pieces."""
        self._salt = self._salt or os.urandom(_SALT_BYTES)
        own = os.urandom(_SALT_BYTES)
        return SEALED_FILE_MARK + self._salt + own, self._cipher(self._salt, own)

    def for_file(self, mark: bytes, file: BinaryIO) -> AESGCM:
        """The cipher of a file that begins with this mark, and has been read up to behind it."""
        salt = file.read(_SALT_BYTES)
        if mark == FIRST_FORM_MARK:
            return AESGCM(self._slow(salt))
        self._salt = self._salt or salt
        return self._cipher(salt, file.read(_SALT_BYTES))

    def _cipher(self, salt: bytes, own: bytes) -> AESGCM:
        if salt not in self._derived:
            self._derived[salt] = self._slow(salt)
        expand = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=own, info=b"file of a wenhen backup")
        return AESGCM(expand.derive(self._derived[salt]))

    def _slow(self, salt: bytes) -> bytes:
        return Scrypt(salt=salt, length=_KEY_BYTES, n=_SCRYPT_COST, r=8, p=1).derive(self._secret.encode())


# The files of a backup: compressed, sealed where there is a key, each known by its digest.
#
# A sealed file is AES-256-GCM (NIST SP 800-38D) over pieces of 1 MiB, each with its place and whether it is the last
# under the seal, so that none can be taken out, exchanged or cut off. Its key is a file's own (`backup_key.py`).


SEALED_PIECE_BYTES: Final = 1 << 20
COMPRESSION_LEVEL: Final = 1  # of compression: bodies are packed in the store, and WARC files as they are
_TAG_BYTES: Final = 16
_LENGTH_BYTES: Final = 4  # bytes that say how long a document of BSON is, itself among them


class ByteSink(Protocol):
    """Takes bytes."""

    def write(self, data: bytes, /) -> object: ...


class DigestingWriter:
    """Passes bytes on and takes their SHA-256."""

    def __init__(self, sink: ByteSink) -> None:
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


class _SealingWriter:
    """Bytes in sealed pieces."""

    def __init__(self, file: BinaryIO, key: BackupKey) -> None:
        head, self._cipher = key.for_new_file()
        file.write(head)
        self._file = file
        self._rest = bytearray()
        self._place = 0

    def write(self, data: bytes, /) -> int:
        self._rest += data
        while len(self._rest) > SEALED_PIECE_BYTES:
            self._seal(bytes(self._rest[:SEALED_PIECE_BYTES]), last=False)
            del self._rest[:SEALED_PIECE_BYTES]
        return len(data)

    def end(self) -> None:
        self._seal(bytes(self._rest), last=True)

    def _seal(self, piece: bytes, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._place, last=last), piece, None))
        self._place += 1


class _UnsealingReader(io.RawIOBase):
    """The bytes that were sealed. BadInput: another key, or the file was changed or cut off."""

    def __init__(self, file: BinaryIO, mark: bytes, key: BackupKey) -> None:
        self._file, self._cipher = file, key.for_file(mark, file)
        self._next = file.read(SEALED_PIECE_BYTES + _TAG_BYTES)
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
        piece, self._next = self._next, self._file.read(SEALED_PIECE_BYTES + _TAG_BYTES)
        self._over = not self._next
        try:
            self._open = self._cipher.decrypt(_nonce(self._place, last=self._over), piece, None)
        except InvalidTag as error:
            raise BadInput("backup.not_opened", file=self._file.name) from error
        self._place += 1


@contextmanager
def write_part(path: Path, key: BackupKey | None) -> Iterator[DigestingWriter]:
    """A part, private to its owner and on the disk when the block ends; what is written into it is compressed."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        sealing = _SealingWriter(file, key) if key else None
        with gzip.GzipFile("", "wb", compresslevel=COMPRESSION_LEVEL, fileobj=sealing or file, mtime=0) as packed:  # type: ignore[arg-type]  # it only writes
            yield DigestingWriter(packed)
        if sealing:
            sealing.end()
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


@contextmanager
def read_part(path: Path, key: BackupKey | None) -> Iterator[BinaryIO]:
    """What was written into a part. BadInput: it is missing, sealed under another key, or damaged."""
    try:
        with path.open("rb") as file:
            mark = file.read(len(SEALED_FILE_MARK))
            sealed = mark in (SEALED_FILE_MARK, FIRST_FORM_MARK)
            if sealed and not key:
                raise BadInput("backup.needs_key", file=path)
            if not sealed:
                file.seek(0)
            plain = io.BufferedReader(_UnsealingReader(file, mark, key)) if sealed and key else file
            with gzip.GzipFile(fileobj=plain) as unpacked:
                yield unpacked  # type: ignore[misc]  # typeshed has GzipFile no BinaryIO
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput("backup.unreadable", file=path, error=error) from error


def read_documents(part: BinaryIO) -> Iterator[bytes]:
    """The documents of BSON that stand in a part one after the other."""
    while head := part.read(_LENGTH_BYTES):
        yield head + part.read(int.from_bytes(head, "little") - _LENGTH_BYTES)


class DigestedPieces:
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


def digest_pieces(pieces: Iterable[bytes]) -> str:
    """The SHA-256 of these together."""
    digested = DigestedPieces(pieces)
    deque(digested, maxlen=0)
    return digested.digest


def _nonce(place: int, *, last: bool) -> bytes:
    return place.to_bytes(11, "big") + bytes([last])
