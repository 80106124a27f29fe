"""Write and read backup files: compressed, encrypted, and identified by digest."""

import gzip
import hashlib
import io
import os
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from wenhen.kit.errors import BadInput
from wenhen.kit.remote_files import AnyPath, RemotePath

# The keys of the files of a backup. scrypt (RFC 7914), which is slow by design, derives a key from the backup key and a
# salt, once per backup. HKDF (RFC 5869) derives the key of each file from it and the salt of the file. In backups of
# the first form, scrypt derived the key of each file from the salt of the file.


SEALED_FILE_MARK: Final = b"wenhen-backup-2\n"  # magic bytes of an encrypted file
FIRST_FORM_MARK: Final = b"wenhen-backup-1\n"  # magic bytes of the first form
_SALT_BYTES: Final = 16  # bytes
_KEY_BYTES: Final = 32  # bytes of a key
_SCRYPT_COST: Final = 1 << 15  # parameter n of scrypt


class BackupKey:
    """The backup key of the installation, used for one backup."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._salt: bytes | None = None  # salt of the backup: that of the first file that was read or written
        self._derived: dict[bytes, bytes] = {}

    def for_new_file(self) -> tuple[bytes, AESGCM]:
        """Return the header of a new file, and the cipher of its pieces."""
        self._salt = self._salt or os.urandom(_SALT_BYTES)
        own = os.urandom(_SALT_BYTES)
        return SEALED_FILE_MARK + self._salt + own, self._cipher(self._salt, own)

    def for_file(self, mark: bytes, file: BinaryIO) -> AESGCM:
        """Return the cipher of a file with this mark, which has been read up to the end of the mark."""
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


# Backup files: compressed, encrypted if there is a key, and identified by digest. An encrypted file is AES-256-GCM
# (NIST SP 800-38D) over pieces of 1 MiB. Each piece authenticates its position, and whether it is the last one, so
# pieces cannot be removed, exchanged or cut off. Each file has its own key (`BackupKey`).


SEALED_PIECE_BYTES: Final = 1 << 20
COMPRESSION_LEVEL: Final = 1  # low: bodies in the store, and WARC files, are compressed already
_TAG_BYTES: Final = 16
_LENGTH_BYTES: Final = 4  # bytes of the length of a BSON document, which includes itself


class ByteSink(Protocol):
    """Accepts bytes."""

    def write(self, data: bytes, /) -> object: ...


class DigestingWriter:
    """Passes bytes on, and computes their SHA-256."""

    def __init__(self, sink: ByteSink) -> None:
        self._sink = sink
        self._hash = hashlib.sha256()

    def write(self, data: bytes, /) -> int:
        """Pass bytes on."""
        self._hash.update(data)
        self._sink.write(data)
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    @property
    def digest(self) -> str:
        """Return the digest of all bytes so far."""
        return self._hash.hexdigest()


class _SealingWriter:
    """Writes bytes in encrypted pieces."""

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
    """Reads encrypted bytes. Raises BadInput for another key, or a changed or truncated file."""

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
def _create_file(path: AnyPath) -> Iterator[BinaryIO]:
    """Write a file that appears whole when the block ends: on this machine private and synced to disk."""
    if isinstance(path, RemotePath):
        with path.create() as file:
            yield file
        return
    path.parent.mkdir(mode=0o700, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


@contextmanager
def write_part(path: AnyPath, key: BackupKey | None) -> Iterator[DigestingWriter]:
    """Write a compressed file that is private to its owner. It is complete when the block ends."""
    with _create_file(path) as file:
        sealing = _SealingWriter(file, key) if key else None
        with gzip.GzipFile("", "wb", compresslevel=COMPRESSION_LEVEL, fileobj=sealing or file, mtime=0) as packed:  # type: ignore[arg-type]  # it only writes
            yield DigestingWriter(packed)
        if sealing:
            sealing.end()


@contextmanager
def read_part(path: AnyPath, key: BackupKey | None) -> Iterator[BinaryIO]:
    """Open the content of a file. Raises BadInput if it is missing, damaged, or has another key."""
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
    """Yield the BSON documents of a file."""
    while head := part.read(_LENGTH_BYTES):
        yield head + part.read(int.from_bytes(head, "little") - _LENGTH_BYTES)


class DigestedPieces:
    """The given pieces, and the SHA-256 of those that were consumed."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._hash = hashlib.sha256()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._hash.update(piece)
            yield piece

    @property
    def digest(self) -> str:
        """Return the digest of all pieces so far."""
        return self._hash.hexdigest()


def digest_pieces(pieces: Iterable[bytes]) -> str:
    """Return the SHA-256 of these pieces together."""
    digested = DigestedPieces(pieces)
    deque(digested, maxlen=0)
    return digested.digest


def _nonce(place: int, *, last: bool) -> bytes:
    return place.to_bytes(11, "big") + bytes([last])
