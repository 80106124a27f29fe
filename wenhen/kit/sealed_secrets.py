"""Encrypt stored secrets under the key of the installation.

AES-256-GCM (NIST SP 800-38D), with a key derived by HKDF (RFC 5869) from the secret key of the installation, which is
stored elsewhere. The owner of a secret is authenticated with it, so a copy in another record cannot be decrypted.
"""

import base64
import binascii
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from wenhen.kit.errors import SetupError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_SEAL_PREFIX: Final = "sealed:1:"  # format version; values without it were stored before encryption was introduced
_NONCE_BYTES: Final = 12  # bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """Encrypts with the current secret key, and decrypts with this key or former ones.

    keys: returns the keys, the current one first. It is called only when needed, because most processes never need a
    key.
    """

    keys: Callable[[], Sequence[str]] = field(repr=False)

    def seal(self, secret: str, whose: str) -> str:
        """Encrypt a secret for storage."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        closed = _cipher(self.keys()[0]).encrypt(nonce, secret.encode(), whose.encode())
        return _SEAL_PREFIX + base64.urlsafe_b64encode(nonce + closed).decode()

    def unseal(self, stored: str, whose: str) -> str | None:
        """Return the secret, or None if it was encrypted under an unknown key or for another owner."""
        if not is_sealed(stored):
            return stored
        unsealed = (_unseal_under(key, stored, whose) for key in self.keys())
        return next((secret for secret in unsealed if secret is not None), None)

    def open_sealed(self, stored: str, whose: str) -> str:
        """Return the secret. Raises `SetupError` if no key decrypts it."""
        secret = self.unseal(stored, whose)
        if secret is None:
            raise SetupError("server.other_key", whose=whose)
        return secret

    def reseal(self, stored: str, whose: str) -> str:
        """Encrypt a stored secret again, under the current key. Raises `SetupError` if no key decrypts it."""
        if is_sealed(stored) and _unseal_under(self.keys()[0], stored, whose) is not None:
            return stored
        return self.seal(self.open_sealed(stored, whose), whose)


def is_sealed(stored: str) -> bool:
    """Return whether the value is encrypted."""
    return stored.startswith(_SEAL_PREFIX)


def _unseal_under(key: str, stored: str, whose: str) -> str | None:
    from cryptography.exceptions import InvalidTag

    try:
        kept = base64.urlsafe_b64decode(stored.removeprefix(_SEAL_PREFIX))
        return _cipher(key).decrypt(kept[:_NONCE_BYTES], kept[_NONCE_BYTES:], whose.encode()).decode()
    except (InvalidTag, binascii.Error, ValueError):
        return None


def _cipher(key: str) -> "AESGCM":
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(SHA256(), 32, salt=None, info=b"wenhen: secrets at rest").derive(key.encode()))
