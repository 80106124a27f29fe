"""The installation's signing key: made once, kept in the store under the secret key that seals all that is secret."""

from datetime import timedelta
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from services.context import Product
from services.evidence.package.signature import fingerprint, new_key
from store.errors import Unavailable

_MARK: Final = "evidence:key"
_MAKING: Final = timedelta(minutes=1)  # for one process, while others wait


def signing_key(product: Product) -> ec.EllipticCurvePrivateKey:
    """The key, made by the first who asks. Raises `Unavailable` while another makes it, `SetupError` where no secret
    key opens it.
    """
    if (kept := _kept(product)) is None:
        if not product.store.marks.claim(f"{_MARK}:made", product.now(), _MAKING) and _kept(product) is None:
            raise Unavailable("evidence.key_in_the_making")
        if (kept := _kept(product)) is None:
            kept = product.seal.seal(_pem(new_key()), _MARK)
            product.store.marks.set(_MARK, {"key": kept})
    key = load_pem_private_key(product.seal.opened(kept, _MARK).encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def key_fingerprint(product: Product) -> str:
    """By which others know the key."""
    return fingerprint(signing_key(product).public_key())


def reseal_key(product: Product) -> bool:
    """Seal it under the present secret key; whether it was not."""
    kept = _kept(product)
    if kept is None:
        return False
    new = product.seal.renewed(kept, _MARK)
    if new != kept:
        product.store.marks.set(_MARK, {"key": new})
    return new != kept


def _kept(product: Product) -> str | None:
    mark = product.store.marks.get(_MARK)
    return str(mark["key"]) if mark and mark.get("key") else None


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
