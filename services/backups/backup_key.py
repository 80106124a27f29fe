"""The key that the files of a backup are sealed under, each with a cipher of its own.

From the installation's backup key and a salt scrypt (RFC 7914) derives a key, once for a backup: it is made to be slow.
From that and a file's own salt HKDF (RFC 5869) derives the key of the file. In backups of the first form scrypt
derived the key of each file, from the file's salt.
"""

import os
from typing import BinaryIO, Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

MARK: Final = b"wenhen-backup-2\n"  # that a sealed file begins with
FIRST_MARK: Final = b"wenhen-backup-1\n"  # of the first form
_SALT: Final = 16  # bytes
_LENGTH: Final = 32  # bytes of a key
_COST: Final = 1 << 15  # of scrypt: its n


class BackupKey:
    """The installation's backup key, at work on one backup."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._salt: bytes | None = None  # of the backup: that of the first file which was read or written
        self._derived: dict[bytes, bytes] = {}

    def for_new_file(self) -> tuple[bytes, AESGCM]:
        """What a file begins with, and the cipher of its pieces."""
        self._salt = self._salt or os.urandom(_SALT)
        own = os.urandom(_SALT)
        return MARK + self._salt + own, self._cipher(self._salt, own)

    def for_file(self, mark: bytes, file: BinaryIO) -> AESGCM:
        """The cipher of a file that begins with this mark, and has been read up to behind it."""
        salt = file.read(_SALT)
        if mark == FIRST_MARK:
            return AESGCM(self._slow(salt))
        self._salt = self._salt or salt
        return self._cipher(salt, file.read(_SALT))

    def _cipher(self, salt: bytes, own: bytes) -> AESGCM:
        if salt not in self._derived:
            self._derived[salt] = self._slow(salt)
        expand = HKDF(algorithm=SHA256(), length=_LENGTH, salt=own, info=b"file of a wenhen backup")
        return AESGCM(expand.derive(self._derived[salt]))

    def _slow(self, salt: bytes) -> bytes:
        return Scrypt(salt=salt, length=_LENGTH, n=_COST, r=8, p=1).derive(self._secret.encode())
