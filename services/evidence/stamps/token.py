"""What an authority answered (RFC 3161), verified at the time that it gives: the digest, the question's nonce, the
signature, the certificates up to a root.

Certificates of authorities last for months, stamps for years: what counts is that they held at the time of the stamp
(RFC 3161, section 4, 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from pyasn1.codec.der import decoder as der_decoder
from pyasn1.codec.der import encoder as der_encoder
from pyasn1.error import PyAsn1Error
from pyasn1_modules import rfc3161, rfc5652
from rfc3161_client import TimeStampResponse, VerificationError, VerifierBuilder, decode_timestamp_response

from services.evidence.stamps import openssl
from store.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A stamp that holds. signer: as its certificate names it; root: fingerprint of the last certificate known.

    trusted: whether this root is among those that were given.
    """

    at: datetime
    signer: str
    root: str
    root_name: str
    trusted: bool
    chain: str  # PEM, the signer's first


def verified(
    answer: bytes,
    text: str,
    *,
    roots: Sequence[x509.Certificate] = (),
    chain: Sequence[x509.Certificate] = (),
) -> Verified:
    """The stamp of this text; as `verified_digest`."""
    return verified_digest(answer, sha256(text.encode("ascii")).digest(), roots=roots, chain=chain)


def verified_digest(
    answer: bytes,
    digest: bytes,
    *,
    roots: Sequence[x509.Certificate] = (),
    chain: Sequence[x509.Certificate] = (),
    nonce: int | None = None,
) -> Verified:
    """The stamp of what has this SHA-256. roots: that are trusted; without one the last certificate known is the root,
    and the result says that nobody vouches for it. chain: certificates that the answer lacks.

    Raises `BadInput` with what does not hold.
    """
    try:
        response = _decoded(answer)
        told = response.tst_info
        sent = [x509.load_der_x509_certificate(one) for one in response.signed_data.certificates]
        signer = _signer(response, [*sent, *chain])
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadInput("evidence.stamp_unread", error=error) from error
    if told.message_imprint.message != digest:
        raise BadInput("evidence.stamp_other_text")
    if nonce is not None and told.nonce != nonce:
        raise BadInput("evidence.stamp_other_nonce")
    at = told.gen_time.astimezone(UTC)
    path, trusted = _path(signer, [*sent, *chain], roots)
    if expired := next((one for one in path if not one.not_valid_before_utc <= at <= one.not_valid_after_utc), None):
        raise BadInput("evidence.stamp_expired", name=_name(expired), until=expired.not_valid_after_utc.isoformat())
    _check(response, answer, digest, at, path)
    return Verified(
        at=at,
        signer=_name(signer),
        root=path[-1].fingerprint(SHA256()).hex(),
        root_name=_name(path[-1]),
        trusted=trusted,
        chain=b"".join(one.public_bytes(Encoding.PEM) for one in path).decode(),
    )


def _decoded(answer: bytes) -> TimeStampResponse:
    """Many authorities, and OpenSSL, send their certificates in an order that DER does not allow and rfc3161-client
    does not take. What is signed is not touched by another order.
    """
    try:
        return decode_timestamp_response(answer)
    except ValueError:
        return decode_timestamp_response(_in_order(answer))


def _in_order(answer: bytes) -> bytes:
    """The answer with its sets sorted. ValueError: it is none."""
    try:
        response, _ = der_decoder.decode(answer, asn1Spec=rfc3161.TimeStampResp())
        content = response["timeStampToken"]["content"]
        signed, _ = der_decoder.decode(bytes(content), asn1Spec=rfc5652.SignedData())
        response["timeStampToken"]["content"] = content.clone(der_encoder.encode(signed))
        return bytes(der_encoder.encode(response))
    except PyAsn1Error as error:
        raise ValueError(str(error)) from error


def certificates(pem: str) -> list[x509.Certificate]:
    """The certificates of a PEM text; BadInput."""
    try:
        return x509.load_pem_x509_certificates(pem.encode()) if pem.strip() else []
    except ValueError as error:
        raise BadInput("evidence.no_certificates", error=error) from error


def _check(
    response: TimeStampResponse, answer: bytes, digest: bytes, at: datetime, path: Sequence[x509.Certificate]
) -> None:
    """What rfc3161-client refuses may be what it does not know, as SM2: OpenSSL is asked then."""
    verifier = VerifierBuilder(roots=[path[-1]], intermediates=list(path[1:-1]), tsa_certificate=path[0]).build()
    try:
        verifier.verify(response, digest)
    except (VerificationError, ValueError) as error:
        if not openssl.holds(answer, digest, at, [one.public_bytes(Encoding.PEM) for one in path]):
            raise BadInput("evidence.stamp_unsigned", error=error) from error


def _signer(response: TimeStampResponse, known: Sequence[x509.Certificate]) -> x509.Certificate:
    for info in response.signed_data.signer_infos:
        for one in known:
            if (one.issuer, one.serial_number) == (info.issuer, info.serial_number):
                return one
    raise BadInput("evidence.stamp_no_signer")


def _path(
    signer: x509.Certificate, known: Sequence[x509.Certificate], roots: Sequence[x509.Certificate]
) -> tuple[list[x509.Certificate], bool]:
    """From the signer up to a trusted root, or else to the last that is known."""
    path = [signer]
    while path[-1] not in roots:
        issuers = [one for one in (*roots, *known) if one not in path and _issued(path[-1], one)]
        if not issuers:
            return path, False
        path.append(issuers[0])
    return path, True


def _issued(one: x509.Certificate, by: x509.Certificate) -> bool:
    if one.issuer != by.subject:
        return False
    try:
        one.verify_directly_issued_by(by)
    except (InvalidSignature, UnsupportedAlgorithm, TypeError):
        return False
    except ValueError:
        return False
    return True


def _name(certificate: x509.Certificate) -> str:
    return certificate.subject.rfc4514_string()
