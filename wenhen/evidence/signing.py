"""Manage the signing key, and request time stamps until an authority issues them."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from crawler.sandbox.pool import read_in_child
from wenhen.context.use_cases import Product
from wenhen.evidence.model import Stamp
from wenhen.evidence.wacz import new_signing_key, public_key_fingerprint
from wenhen.kit.clock import EVIDENCE_BACKOFF
from wenhen.kit.errors import Message, SetupError, Unavailable, WenhenError
from wenhen.kit.size_and_time_limits import TIME_STAMP_BOUNDS

if TYPE_CHECKING:
    from wenhen.evidence.timestamp_tokens import VerifiedStamp

# The signing key of the installation is generated once and stored sealed with the secret key.


_KEY_MARK: Final = "evidence:key"
_KEY_LEASE: Final = timedelta(minutes=1)  # for the generating process, while others wait


def load_signing_key(product: Product) -> ec.EllipticCurvePrivateKey:
    """Return the signing key. The first call generates it.

    Raises `Unavailable` while another process generates it, and `SetupError` if the secret key does not open it.
    """
    if (kept := _stored_key(product)) is None:
        if (
            not product.store.marks.claim(f"{_KEY_MARK}:made", product.now(), _KEY_LEASE)
            and _stored_key(product) is None
        ):
            raise Unavailable("evidence.key_in_the_making")
        if (kept := _stored_key(product)) is None:
            kept = product.seal.seal(_to_pem(new_signing_key()), _KEY_MARK)
            product.store.marks.set(_KEY_MARK, {"key": kept})
    key = load_pem_private_key(product.seal.open_sealed(kept, _KEY_MARK).encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return key


def signing_key_fingerprint(product: Product) -> str:
    """Return the fingerprint of the public key."""
    return public_key_fingerprint(load_signing_key(product).public_key())


def reseal_signing_key(product: Product) -> bool:
    """Seal the signing key with the current secret key. Returns False if it already was."""
    kept = _stored_key(product)
    if kept is None:
        return False
    new = product.seal.reseal(kept, _KEY_MARK)
    if new != kept:
        product.store.marks.set(_KEY_MARK, {"key": new})
    return new != kept


def _stored_key(product: Product) -> str | None:
    mark = product.store.marks.get(_KEY_MARK)
    return str(mark["key"]) if mark and mark.get("key") else None


def _to_pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


_REQUEST_FUNCTION: Final = "wenhen.evidence.timestamp_tokens:request_stamp"
_DIGEST_FUNCTION: Final = "wenhen.evidence.timestamp_tokens:request_digest_stamp"
_VERIFY_FUNCTION: Final = "wenhen.evidence.timestamp_tokens:verify_file_stamp"
_STAMP_LEASE: Final = timedelta(minutes=10)  # longer than requests to all authorities
_MAX_STAMPS_PER_TASK: Final = 20


def want_stamp(product: Product, id: str, text: str) -> None:
    """Request a time stamp of a text, if authorities are configured. An existing request is kept."""
    if product.settings.evidence.authorities:
        now = product.now()
        product.store.stamps.want(Stamp(id=id, text=text, wanted_at=now, due=now))


def request_due_stamps(product: Product) -> None:
    """Request the due time stamps. Failed requests are retried without limit."""
    for _ in range(_MAX_STAMPS_PER_TASK):
        now = product.now()
        stamp = product.store.stamps.claim(now, now + _STAMP_LEASE)
        if stamp is None:
            return
        product.store.stamps.put(request_from_authorities(product, stamp))


def request_from_authorities(product: Product, stamp: Stamp) -> Stamp:
    """Ask each authority in turn until one issues the time stamp, and return the resulting stamp."""
    roots, problem = trusted_roots(product), Message("evidence.no_authority")
    for url in product.settings.evidence.authorities:
        try:
            answer, verified = _request_in_child(url, stamp.text, roots, product.now().isoformat())
        except WenhenError as error:
            problem = error.message
            continue
        return replace(
            stamp, due=None, problem=None, at=verified.at, authority=url, answer=answer, chain=verified.chain
        )
    return replace(stamp, due=product.now() + EVIDENCE_BACKOFF.after(stamp.tries), problem=problem)


def stamp_digest(product: Product, digest: bytes) -> "tuple[bytes, VerifiedStamp]":
    """Return the time stamp of a SHA-256 digest by the first authority that issues one, and what it says.

    Raises `Unavailable` if none does, with the reason of the last one.
    """
    roots, problem = trusted_roots(product), Message("evidence.no_authority")
    for url in product.settings.evidence.authorities:
        try:
            stamped: tuple[bytes, VerifiedStamp] = read_in_child(
                _DIGEST_FUNCTION, url, digest, roots, product.now().isoformat(), bounds=TIME_STAMP_BOUNDS
            )
        except WenhenError as error:
            problem = error.message
        else:
            return stamped
    raise Unavailable(problem.code, **problem.figures)


def verify_stamp_in_child(product: Product, answer: bytes, digest: bytes, chain: str) -> "VerifiedStamp":
    """Verify the time stamp of a SHA-256 digest with the roots of the settings. Raises `BadInput`, `Unreadable`."""
    verified: VerifiedStamp = read_in_child(
        _VERIFY_FUNCTION, answer, digest, trusted_roots(product), chain, bounds=TIME_STAMP_BOUNDS
    )
    return verified


def trusted_roots(product: Product) -> str:
    """Return the root certificates from the settings in PEM. Raises `SetupError` if the file is unreadable."""
    file = product.settings.evidence.roots
    if file is None:
        return ""
    try:
        return Path(file).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError("evidence.no_roots", file=file, error=error) from error


def _request_in_child(url: str, text: str, roots: str, now: str) -> "tuple[bytes, VerifiedStamp]":
    answered: tuple[bytes, VerifiedStamp] = read_in_child(
        _REQUEST_FUNCTION, url, text, roots, now, bounds=TIME_STAMP_BOUNDS
    )
    return answered
