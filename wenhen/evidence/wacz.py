"""Create WACZ packages: the zip file, the manifest and its signature."""

import base64
import binascii
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO, StringIO
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, Hash
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

from wenhen.kit.errors import BadInput

# Reproducible zip files without compression and times. Equal members give equal bytes, so any changed bit is detected.


_FIXED_ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)  # earliest time of the format
_UNIX_SYSTEM: Final = 3
_FILE_MODE: Final = 0o100644 << 16


def zip_members(members: Mapping[str, bytes]) -> bytes:
    """Return a zip file with the members in this order."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, _FIXED_ZIP_TIME)
            info.create_system, info.external_attr = _UNIX_SYSTEM, _FILE_MODE
            archive.writestr(info, content)
    return out.getvalue()


def unzip_members(content: bytes) -> dict[str, bytes]:
    """Return the members in order. Raises `BadInput` for a file that `zip_members` cannot have written."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            infos = archive.infolist()
            if any(info.compress_type != zipfile.ZIP_STORED for info in infos):
                raise BadInput("evidence.compressed")
            members = {info.filename: archive.read(info) for info in infos}
            if len(members) < len(infos):
                raise BadInput("evidence.twice")
            return members
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise BadInput("evidence.no_zip", error=error) from error


# The package (WACZ 1.1.1): index, page list, and manifest with all digests.


WACZ_VERSION: Final = "1.1.1"
WARC_MEMBER: Final = "archive/data.warc.gz"
INDEX_MEMBER: Final = "indexes/index.cdx"
PAGES_MEMBER: Final = "pages/pages.jsonl"
MANIFEST_MEMBER: Final = "datapackage.json"
EVIDENCE_FOLDER: Final = "evidence/"  # folder of members outside the format


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageInfo:
    """Metadata of a package.

    at: time of the capture.
    created: time of the package.
    """

    title: str
    description: str
    page_url: str
    page_title: str
    at: datetime
    created: datetime
    software: str


def package_members(front: PackageInfo, warc: bytes, further: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return all members except the signature, in file order.

    further: additional members by file name.
    """
    members = {
        WARC_MEMBER: warc,
        INDEX_MEMBER: _cdx_index(warc),
        PAGES_MEMBER: _page_list(front),
        **{f"{EVIDENCE_FOLDER}{name}": content for name, content in sorted(further.items())},
    }
    return {**members, MANIFEST_MEMBER: _manifest_json(front, members)}


def digest_member(content: bytes) -> str:
    """Return the digest in the format of the manifest."""
    return f"sha256:{sha256(content).hexdigest()}"


def to_stable_json(value: Any) -> bytes:
    """Return deterministic JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n"


def _cdx_index(warc: bytes) -> bytes:
    from cdxj_indexer import CDXJIndexer  # slow import, needed only here

    lines = StringIO()
    CDXJIndexer(
        lines, [BytesIO(warc)], filename=WARC_MEMBER.rpartition("/")[2], sort=True, records="response"
    ).process_all()
    return lines.getvalue().encode()


def _page_list(front: PackageInfo) -> bytes:
    header = {"format": "json-pages-1.0", "id": "pages", "title": "Pages"}
    page = {
        "id": sha256(front.page_url.encode("utf-8", "replace")).hexdigest()[:22],
        "url": front.page_url,
        "ts": _format_time(front.at),
        "title": front.page_title,
    }
    return b"".join(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for line in (header, page))


def _manifest_json(front: PackageInfo, members: Mapping[str, bytes]) -> bytes:
    return to_stable_json(
        {
            "profile": "data-package",
            "wacz_version": WACZ_VERSION,
            "title": front.title,
            "description": front.description,
            "created": _format_time(front.created),
            "software": front.software,
            "mainPageUrl": front.page_url,
            "mainPageDate": _format_time(front.at),
            "resources": [
                {
                    "name": path.rpartition("/")[2].lower(),
                    "path": path,
                    "hash": digest_member(content),
                    "bytes": len(content),
                }
                for path, content in members.items()
            ],
        }
    )


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# Signature of the manifest (WACZ signing and verification 0.1.0, anonymous): deterministic ECDSA with SHA-256 (RFC
# 6979). It uses P-384 and IEEE P1363 encoding, because ReplayWeb.page verifies no others. Signatures of earlier
# versions with P-256 in DER are still valid.


SIGNATURE_MEMBER: Final = "datapackage-digest.json"


def new_signing_key() -> ec.EllipticCurvePrivateKey:
    """Generate a signing key."""
    return ec.generate_private_key(ec.SECP384R1())


def sign_manifest(key: ec.EllipticCurvePrivateKey, manifest: bytes) -> dict[str, Any]:
    """Return the signature member for a manifest."""
    about, hash = json.loads(manifest), digest_member(manifest)
    made = key.sign(hash.encode(), ec.ECDSA(SHA256(), deterministic_signing=True))
    return {
        "path": MANIFEST_MEMBER,
        "hash": hash,
        "signedData": {
            "hash": hash,
            "created": about["created"],
            "software": about["software"],
            "signature": base64.b64encode(_to_raw_signature(made, key.key_size)).decode(),
            "publicKey": base64.b64encode(_public_key_der(key.public_key())).decode(),
        },
    }


def add_timestamp(signature: Mapping[str, Any], answer: bytes, chain: str) -> dict[str, Any]:
    """Return the signature with a time stamp (TimeStampResp) and its certificates (PEM)."""
    stamped = {"timeSignature": base64.b64encode(answer).decode(), "timestampCert": chain}
    return {**signature, "signedData": {**signature["signedData"], **stamped}}


def signature_bytes(signature: Mapping[str, Any]) -> bytes:
    """Return the bytes of the signature member."""
    return to_stable_json(signature)


def signing_fingerprint(signature: Mapping[str, Any]) -> str | None:
    """Return the fingerprint of the signing key, or None if the signature is invalid."""
    data = signature.get("signedData") or {}
    try:
        public = base64.b64decode(data["publicKey"], validate=True)
        key = load_der_public_key(public)
        if not isinstance(key, ec.EllipticCurvePublicKey):
            return None
        made = base64.b64decode(data["signature"], validate=True)
        key.verify(_to_der_signature(made, key.key_size), str(data["hash"]).encode(), ec.ECDSA(SHA256()))
    except (KeyError, TypeError, ValueError, binascii.Error, InvalidSignature):
        return None
    return public_key_fingerprint(key)


def public_key_fingerprint(key: ec.EllipticCurvePublicKey) -> str:
    """Return the SHA-256 of the public key (SubjectPublicKeyInfo), hexadecimal."""
    hashed = Hash(SHA256())
    hashed.update(_public_key_der(key))
    return hashed.finalize().hex()


def _to_raw_signature(made: bytes, bits: int) -> bytes:
    size = (bits + 7) // 8
    return b"".join(number.to_bytes(size, "big") for number in decode_dss_signature(made))


def _to_der_signature(made: bytes, bits: int) -> bytes:
    size = (bits + 7) // 8
    if len(made) != 2 * size:
        return made
    return encode_dss_signature(int.from_bytes(made[:size], "big"), int.from_bytes(made[size:], "big"))


def _public_key_der(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
