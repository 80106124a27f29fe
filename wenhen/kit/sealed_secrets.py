"""Encrypt stored secrets under the key of the installation.

AES-256-GCM (NIST SP 800-38D) under a key derived by HKDF (RFC 5869) from the installation's secret key, which lies
elsewhere. What a secret belongs to is authenticated with it, so that it is worth nothing in another record.
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

_SEAL_PREFIX: Final = "sealed:1:"  # how it is sealed; what lacks it was stored before secrets were
_NONCE_BYTES: Final = 12  # bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """Seals under the installation's secret key, and unseals under that one or those of before.

    keys: gives them, the present one first; asked when a secret is at hand, since most processes never see one.
    """

    keys: Callable[[], Sequence[str]] = field(repr=False)

    def seal(self, secret: str, whose: str) -> str:
        """The secret as it may be stored."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        closed = _cipher(self.keys()[0]).encrypt(nonce, secret.encode(), whose.encode())
        return _SEAL_PREFIX + base64.urlsafe_b64encode(nonce + closed).decode()

    def unseal(self, stored: str, whose: str) -> str | None:
        """The secret; None where it was sealed under another secret key, or for somebody else."""
        if not is_sealed(stored):
            return stored
        unsealed = (_unseal_under(key, stored, whose) for key in self.keys())
        return next((secret for secret in unsealed if secret is not None), None)

    def open_sealed(self, stored: str, whose: str) -> str:
        """The secret. Raises `SetupError` where no key opens it."""
        secret = self.unseal(stored, whose)
        if secret is None:
            raise SetupError("server.other_key", whose=whose)
        return secret

    def reseal(self, stored: str, whose: str) -> str:
        """The same, sealed under the present key. Raises `SetupError` where no key opens it."""
        if is_sealed(stored) and _unseal_under(self.keys()[0], stored, whose) is not None:
            return stored
        return self.seal(self.open_sealed(stored, whose), whose)


def is_sealed(stored: str) -> bool:
    """Whether it is not the secret itself."""
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
