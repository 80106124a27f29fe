"""Request and verify RFC 3161 time stamps. This module runs in the sandboxed child process."""

import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from importlib.metadata import version
from typing import Final

import httpx
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from pyasn1.codec.der import decoder as der_decoder
from pyasn1.codec.der import encoder as der_encoder
from pyasn1.error import PyAsn1Error
from pyasn1_modules import rfc3161, rfc5652
from rfc3161_client import (
    HashAlgorithm,
    TimestampRequestBuilder,
    TimeStampResponse,
    VerificationError,
    VerifierBuilder,
    decode_timestamp_response,
)

from wenhen.kit.errors import BadInput, Unavailable, failure
from wenhen.kit.size_and_time_limits import MAX_STAMP_BYTES

OPENSSL_SECONDS = 20
_MAX_PIPE_BYTES = 60_000  # capacity of a pipe without a reader


def is_verified_by_openssl(answer: bytes, digest: bytes, moment: datetime, path: Sequence[bytes]) -> bool:
    """Return whether OpenSSL verifies the response as of a time.

    path: certificates in PEM, signer first, root last.
    """
    program = shutil.which("openssl")
    if program is None or max(len(answer), sum(map(len, path))) > _MAX_PIPE_BYTES:
        return False
    with ExitStack() as files:
        given, root, others = (
            files.enter_context(_readable_file(certificate_file))
            for certificate_file in (answer, path[-1], b"".join(path[:-1]) or path[-1])
        )
        done = subprocess.run(
            [
                *(program, "ts", "-verify", "-digest", digest.hex(), "-in", f"/dev/fd/{given}"),
                *("-CAfile", f"/dev/fd/{root}", "-untrusted", f"/dev/fd/{others}"),
                *("-attime", str(int(moment.timestamp())), "-partial_chain"),
            ],
            pass_fds=(given, root, others),
            capture_output=True,
            timeout=OPENSSL_SECONDS,
            check=False,
        )
    return done.returncode == 0


@contextmanager
def _readable_file(content: bytes) -> Iterator[int]:
    """Yield a file descriptor for the content, because the sandbox may forbid writing files."""
    reading, writing = os.pipe()
    try:
        with os.fdopen(writing, "wb") as file:
            file.write(content)
        yield reading
    finally:
        os.close(reading)


# Verification of a response (RFC 3161) as of its time: digest, nonce, signature, and certificate path. Certificates of
# authorities expire after months. They have to be valid at the time of the stamp (RFC 3161, section 4, 5).


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedStamp:
    """A verified time stamp.

    signer: subject of its certificate.
    root: fingerprint of the last certificate of the path.
    trusted: whether this certificate is a trusted root.
    """

    at: datetime
    signer: str
    root: str
    root_name: str
    trusted: bool
    chain: str  # PEM, signer first


def verify_stamp(
    answer: bytes,
    text: str,
    *,
    roots: Sequence[x509.Certificate] = (),
    chain: Sequence[x509.Certificate] = (),
) -> VerifiedStamp:
    """Verify the time stamp of a text as `verify_digest_stamp` does."""
    return verify_digest_stamp(answer, sha256(text.encode("ascii")).digest(), roots=roots, chain=chain)


def verify_digest_stamp(
    answer: bytes,
    digest: bytes,
    *,
    roots: Sequence[x509.Certificate] = (),
    chain: Sequence[x509.Certificate] = (),
    nonce: int | None = None,
) -> VerifiedStamp:
    """Verify the time stamp of a SHA-256 digest.

    roots: trusted certificates. Without a path to one of them, the last certificate is the root, and `trusted` is
    False.
    chain: certificates that the response lacks.

    Raises `BadInput` with the failed check.
    """
    try:
        response = _decode_response(answer)
        token = response.tst_info
        sent = [x509.load_der_x509_certificate(certificate) for certificate in response.signed_data.certificates]
        signer = _find_signer(response, [*sent, *chain])
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadInput("evidence.stamp_unread", error=error) from error
    if token.message_imprint.message != digest:
        raise BadInput("evidence.stamp_other_text")
    if nonce is not None and token.nonce != nonce:
        raise BadInput("evidence.stamp_other_nonce")
    moment = token.gen_time.astimezone(UTC)
    path, trusted = _certificate_path(signer, [*sent, *chain], roots)
    if expired := next(
        (
            certificate
            for certificate in path
            if not certificate.not_valid_before_utc <= moment <= certificate.not_valid_after_utc
        ),
        None,
    ):
        raise BadInput(
            "evidence.stamp_expired", name=_certificate_name(expired), until=expired.not_valid_after_utc.isoformat()
        )
    _check_response(response, answer, digest, moment, path)
    return VerifiedStamp(
        at=moment,
        signer=_certificate_name(signer),
        root=path[-1].fingerprint(SHA256()).hex(),
        root_name=_certificate_name(path[-1]),
        trusted=trusted,
        chain=b"".join(certificate.public_bytes(Encoding.PEM) for certificate in path).decode(),
    )


def _decode_response(answer: bytes) -> TimeStampResponse:
    """Decode a response. If this fails, decode it again with sorted sets.

    Many authorities and OpenSSL send certificates in an order that DER forbids and rfc3161-client rejects. The
    signature does not cover this order.
    """
    try:
        return decode_timestamp_response(answer)
    except ValueError:
        return decode_timestamp_response(_sort_sets(answer))


def _sort_sets(answer: bytes) -> bytes:
    """Return the response with sorted sets. Raises `ValueError` if it is no response."""
    try:
        response, _ = der_decoder.decode(answer, asn1Spec=rfc3161.TimeStampResp())
        content = response["timeStampToken"]["content"]
        signed, _ = der_decoder.decode(bytes(content), asn1Spec=rfc5652.SignedData())
        response["timeStampToken"]["content"] = content.clone(der_encoder.encode(signed))
        return bytes(der_encoder.encode(response))
    except PyAsn1Error as error:
        raise ValueError(str(error)) from error


def parse_certificates(pem: str) -> list[x509.Certificate]:
    """Parse certificates in PEM. Raises `BadInput`."""
    try:
        return x509.load_pem_x509_certificates(pem.encode()) if pem.strip() else []
    except ValueError as error:
        raise BadInput("evidence.no_certificates", error=error) from error


def _check_response(
    response: TimeStampResponse, answer: bytes, digest: bytes, moment: datetime, path: Sequence[x509.Certificate]
) -> None:
    """Check the signature with rfc3161-client, or else with OpenSSL, which knows more algorithms such as SM2.

    Raises `BadInput`.
    """
    verifier = VerifierBuilder(roots=[path[-1]], intermediates=list(path[1:-1]), tsa_certificate=path[0]).build()
    try:
        verifier.verify(response, digest)
    except (VerificationError, ValueError) as error:
        if not is_verified_by_openssl(
            answer, digest, moment, [certificate.public_bytes(Encoding.PEM) for certificate in path]
        ):
            raise BadInput("evidence.stamp_unsigned", error=error) from error


def _find_signer(response: TimeStampResponse, known: Sequence[x509.Certificate]) -> x509.Certificate:
    for info in response.signed_data.signer_infos:
        for certificate in known:
            if (certificate.issuer, certificate.serial_number) == (info.issuer, info.serial_number):
                return certificate
    raise BadInput("evidence.stamp_no_signer")


def _certificate_path(
    signer: x509.Certificate, known: Sequence[x509.Certificate], roots: Sequence[x509.Certificate]
) -> tuple[list[x509.Certificate], bool]:
    """Return the path from the signer to a trusted root, or to the last known issuer, and whether it is trusted."""
    path = [signer]
    while path[-1] not in roots:
        issuers = [issuer for issuer in (*roots, *known) if issuer not in path and _is_issued_by(path[-1], issuer)]
        if not issuers:
            return path, False
        path.append(issuers[0])
    return path, True


def _is_issued_by(certificate: x509.Certificate, by: x509.Certificate) -> bool:
    if certificate.issuer != by.subject:
        return False
    try:
        certificate.verify_directly_issued_by(by)
    except (InvalidSignature, UnsupportedAlgorithm, TypeError):
        return False
    except ValueError:
        return False
    return True


def _certificate_name(certificate: x509.Certificate) -> str:
    return certificate.subject.rfc4514_string()


# Request to an authority, run through `crawler.sandbox`, so that only the child parses the response.


STAMP_TIMEOUT_SECONDS: Final = 10.0  # timeout of each network operation
MAX_CLOCK_DIFFERENCE: Final = timedelta(minutes=5)  # between the clock of the authority and ours
_SHA256_OID: Final = "2.16.840.1.101.3.4.2.1"
_NONCE_BITS: Final = 63
_MAX_ERROR_CHARACTERS: Final = 200  # characters of an error message
_QUERY_TYPE, _REPLY_TYPE = "application/timestamp-query", "application/timestamp-reply"


@dataclass(frozen=True, slots=True)
class StampQuery:
    """A TimeStampReq and the stamped SHA-256 digest."""

    content: bytes
    digest: bytes
    nonce: int | None


def request_stamp(url: str, text: str, roots: str, now: str) -> tuple[bytes, VerifiedStamp]:
    """Request and verify the time stamp of a text.

    roots: trusted certificates in PEM.
    now: our time, ISO 8601.

    Raises `Unavailable` without a response, and `BadInput` for an invalid one.
    """
    data = text.encode("ascii")
    question = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).nonce().build()
    return send_stamp_query(url, StampQuery(question.as_bytes(), sha256(data).digest(), question.nonce), roots, now)


def request_digest_stamp(url: str, digest: bytes, roots: str, now: str) -> tuple[bytes, VerifiedStamp]:
    """Request and verify the time stamp of a SHA-256 digest, as `request_stamp` does for a text."""
    nonce = secrets.randbits(_NONCE_BITS)
    question = rfc3161.TimeStampReq()
    question["version"] = 1
    question["messageImprint"]["hashAlgorithm"]["algorithm"] = _SHA256_OID
    question["messageImprint"]["hashedMessage"] = digest
    question["nonce"] = nonce
    question["certReq"] = True
    return send_stamp_query(url, StampQuery(bytes(der_encoder.encode(question)), digest, nonce), roots, now)


def verify_file_stamp(answer: bytes, digest: bytes, roots: str, chain: str) -> VerifiedStamp:
    """Verify the time stamp of a file. roots, chain: certificates in PEM. Raises `BadInput`."""
    stamp = verify_digest_stamp(answer, digest, roots=parse_certificates(roots), chain=parse_certificates(chain))
    if roots.strip() and not stamp.trusted:
        raise BadInput("evidence.root_other", name=stamp.root_name, root=stamp.root)
    return stamp


def send_stamp_query(url: str, question: StampQuery, roots: str, now: str) -> tuple[bytes, VerifiedStamp]:
    """Send a prepared request, and verify the response as `request_stamp` does."""
    answer = _post_query(url, question.content)
    stamp = verify_digest_stamp(answer, question.digest, roots=parse_certificates(roots), nonce=question.nonce)
    if roots.strip() and not stamp.trusted:
        raise BadInput("evidence.root_other", name=stamp.root_name, root=stamp.root)
    if abs(stamp.at - datetime.fromisoformat(now)) > MAX_CLOCK_DIFFERENCE:
        raise BadInput("evidence.stamp_clock", at=stamp.at.isoformat(), now=now)
    return answer, stamp


def _post_query(url: str, question: bytes) -> bytes:
    headers = {"Content-Type": _QUERY_TYPE, "Accept": _REPLY_TYPE, "User-Agent": f"wenhen/{version('wenhen')}"}
    try:
        with (
            httpx.Client(timeout=STAMP_TIMEOUT_SECONDS, trust_env=False, follow_redirects=False) as client,
            client.stream("POST", url, content=question, headers={**headers, "Accept-Encoding": "identity"}) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise Unavailable("evidence.authority_refused", url=url, status=answer.status_code)
            body = b""
            for part in answer.iter_raw():
                body += part
                if len(body) > MAX_STAMP_BYTES:
                    raise BadInput("evidence.stamp_unread", error=f"> {MAX_STAMP_BYTES} bytes")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise Unavailable("evidence.authority_silent", url=url, error=failure(error, _MAX_ERROR_CHARACTERS)) from error
    return body
