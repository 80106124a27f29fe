"""Secrets that have to be read again, sealed: who reads the database, or a copy of it, cannot use them.

AES-256-GCM (NIST SP 800-38D) under a key derived by HKDF (RFC 5869) from the installation's secret key. What a secret
belongs to is authenticated with it, so that it is worth nothing in another record.
"""

import base64
import binascii
import secrets
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

_MARK: Final = "sealed:1:"  # how it is sealed; what lacks it was stored before secrets were
_NONCE: Final = 12  # bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """Seals and unseals under the installation's secret key."""

    secret_key: str | bytes = field(repr=False)

    def seal(self, secret: str, whose: str) -> str:
        """The secret as it may be stored."""
        nonce = secrets.token_bytes(_NONCE)
        closed = self._cipher().encrypt(nonce, secret.encode(), whose.encode())
        return _MARK + base64.urlsafe_b64encode(nonce + closed).decode()

    def unseal(self, stored: str, whose: str) -> str | None:
        """The secret; None where it was sealed under another secret key, or for somebody else."""
        if not is_sealed(stored):
            return stored
        try:
            kept = base64.urlsafe_b64decode(stored.removeprefix(_MARK))
            return self._cipher().decrypt(kept[:_NONCE], kept[_NONCE:], whose.encode()).decode()
        except (InvalidTag, binascii.Error, ValueError):
            return None

    def _cipher(self) -> AESGCM:
        key = self.secret_key
        root = key.encode() if isinstance(key, str) else key
        return AESGCM(HKDF(SHA256(), 32, salt=None, info=b"wenhen: secrets at rest").derive(root))


def is_sealed(stored: str) -> bool:
    """Whether it is not the secret itself."""
    return stored.startswith(_MARK)
