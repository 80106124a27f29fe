"""The manifest signed (WACZ signing and verification 0.1.0, anonymous): ECDSA with SHA-256, as RFC 6979 has it, so that
the same manifest has the same signature.

Over P-384, and as the two numbers side by side (IEEE P1363): ReplayWeb.page verifies no others. What earlier releases
made is over P-256, in DER, and holds as well.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from services.evidence.package.manifest import MANIFEST, as_json, digest

SIGNATURE: Final = "datapackage-digest.json"


def new_key() -> ec.EllipticCurvePrivateKey:
    """A key for an installation."""
    return ec.generate_private_key(ec.SECP384R1())


def signed(key: ec.EllipticCurvePrivateKey, manifest: bytes) -> dict[str, Any]:
    """The member that signs the manifest."""
    about, hash = json.loads(manifest), digest(manifest)
    made = key.sign(hash.encode(), ec.ECDSA(SHA256(), deterministic_signing=True))
    return {
        "path": MANIFEST,
        "hash": hash,
        "signedData": {
            "hash": hash,
            "created": about["created"],
            "software": about["software"],
            "signature": base64.b64encode(_side_by_side(made, key.key_size)).decode(),
            "publicKey": base64.b64encode(_der(key.public_key())).decode(),
        },
    }


def with_stamp(signature: Mapping[str, Any], answer: bytes, chain: str) -> dict[str, Any]:
    """The same with the time stamp of the signature (TimeStampResp) and the certificates behind it (PEM)."""
    stamped = {"timeSignature": base64.b64encode(answer).decode(), "timestampCert": chain}
    return {**signature, "signedData": {**signature["signedData"], **stamped}}


def written(signature: Mapping[str, Any]) -> bytes:
    """The member's bytes."""
    return as_json(signature)


def key_of(signature: Mapping[str, Any]) -> str | None:
    """The fingerprint of the key that signed; None where the signature does not hold."""
    data = signature.get("signedData") or {}
    try:
        public = base64.b64decode(data["publicKey"], validate=True)
        key = load_der_public_key(public)
        if not isinstance(key, ec.EllipticCurvePublicKey):
            return None
        made = base64.b64decode(data["signature"], validate=True)
        key.verify(_in_der(made, key.key_size), str(data["hash"]).encode(), ec.ECDSA(SHA256()))
    except (KeyError, TypeError, ValueError, binascii.Error, InvalidSignature):
        return None
    return fingerprint(key)


def fingerprint(key: ec.EllipticCurvePublicKey) -> str:
    """SHA-256 of the public key (SubjectPublicKeyInfo), in hexadecimal."""
    hashed = Hash(SHA256())
    hashed.update(_der(key))
    return hashed.finalize().hex()


def _side_by_side(made: bytes, bits: int) -> bytes:
    size = (bits + 7) // 8
    return b"".join(number.to_bytes(size, "big") for number in decode_dss_signature(made))


def _in_der(made: bytes, bits: int) -> bytes:
    size = (bits + 7) // 8
    if len(made) != 2 * size:
        return made
    return encode_dss_signature(int.from_bytes(made[:size], "big"), int.from_bytes(made[size:], "big"))


def _der(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
