"""One question to an authority. What it answers is read in the bounded child: run through `crawler.isolated`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from importlib.metadata import version
from typing import Final

import httpx
from rfc3161_client import HashAlgorithm, TimestampRequestBuilder

from services.evidence.stamps.token import Verified, certificates, verified_digest
from store.errors import BadInput, Unavailable
from store.failures import failure

LARGEST: Final = 60_000  # bytes of an answer; authorities send some 6,000
TIMEOUT: Final = 10.0  # seconds for each part of it
LATE: Final = timedelta(minutes=5)  # between its clock and ours
_TOLD: Final = 200  # characters of what went wrong
_ASKED, _ANSWERED = "application/timestamp-query", "application/timestamp-reply"


@dataclass(frozen=True, slots=True)
class StampQuestion:
    """A TimeStampReq, with the SHA-256 that it is of."""

    content: bytes
    digest: bytes
    nonce: int | None


def ask(url: str, text: str, roots: str, now: str) -> tuple[bytes, Verified]:
    """The authority's answer for the text, verified. roots: PEM; now: by our clock, ISO 8601.

    Raises `Unavailable` where none came, `BadInput` for one that does not hold.
    """
    data = text.encode("ascii")
    question = TimestampRequestBuilder().data(data).hash_algorithm(HashAlgorithm.SHA256).nonce().build()
    return answered(url, StampQuestion(question.as_bytes(), sha256(data).digest(), question.nonce), roots, now)


def answered(url: str, question: StampQuestion, roots: str, now: str) -> tuple[bytes, Verified]:
    """The same for a question that somebody else has put."""
    answer = _post(url, question.content)
    stamp = verified_digest(answer, question.digest, roots=certificates(roots), nonce=question.nonce)
    if roots.strip() and not stamp.trusted:
        raise BadInput("evidence.root_other", name=stamp.root_name, root=stamp.root)
    if abs(stamp.at - datetime.fromisoformat(now)) > LATE:
        raise BadInput("evidence.stamp_clock", at=stamp.at.isoformat(), now=now)
    return answer, stamp


def _post(url: str, question: bytes) -> bytes:
    headers = {"Content-Type": _ASKED, "Accept": _ANSWERED, "User-Agent": f"wenhen/{version('wenhen')}"}
    try:
        with (
            httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False) as client,
            client.stream("POST", url, content=question, headers={**headers, "Accept-Encoding": "identity"}) as answer,
        ):
            if answer.status_code != httpx.codes.OK:
                raise Unavailable("evidence.authority_refused", url=url, status=answer.status_code)
            body = b""
            for part in answer.iter_raw():
                body += part
                if len(body) > LARGEST:
                    raise BadInput("evidence.stamp_unread", error=f"> {LARGEST} bytes")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise Unavailable("evidence.authority_silent", url=url, error=failure(error, _TOLD)) from error
    return body
