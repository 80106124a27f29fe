"""Describe exhibits, receipts and time stamps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from wenhen.kit.errors import Message

REPORT_AUDIT_SUBJECT: Final = (
    "report:cases"  # subject of the audit line of a report of several cases, which names their numbers
)


# A case as a file that proves it: what was asked for, what was made, and what it lacks.


class ExhibitReason(StrEnum):
    """Why an exhibit is made."""

    ASKED = "asked"  # by a person
    CONFIRMED = "confirmed"  # the case was
    CHANGED = "changed"  # the page, since the exhibit before
    VANISHED = "vanished"  # the page, or the copy on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What another gave for the manifest of an exhibit: a notary's certificate (公证书), tsa.cn's, a court chain's."""

    id: str
    issuer: str  # who gave it
    file_name: str
    digest: str  # sha256 of the file, key of the blob
    size: int  # bytes
    manifest_digest: str  # sha256 of what was handed to the issuer
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """Wanted until `made_at`; its file is a blob, without its time stamp, which may be given later.

    state: of what it shows, by which the next one is known to be needed (`wenhen.evidence.exhibit_creation`).
    """

    id: str
    case_id: str
    case_number: int
    why: ExhibitReason
    by: str
    wanted_at: datetime
    state: str
    due: datetime | None  # when it is tried, or tried again; None: made, or given up
    tries: int = 0
    problem: Message | None = None  # why the last try failed
    made_at: datetime | None = None
    file_digest: str | None = None
    size: int = 0  # bytes
    manifest_digest: str | None = None  # of its manifest, key of the blob; None of what earlier releases made
    missing: tuple[Message, ...] = ()  # what could not be put in
    receipts: tuple[Receipt, ...] = ()
    sealed: str | None = (
        None  # the headers whose secrets are masked in the file, as they came; for those with the right
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Of a short text, which stands for all that it was made of."""

    id: str  # of what: exhibit:…, audit:…
    text: str  # ASCII; its SHA-256 is what the authority stamps
    wanted_at: datetime
    due: datetime | None  # when an authority is asked next; None: given
    tries: int = 0
    problem: Message | None = None  # why the last try failed
    at: datetime | None = None  # the time that the authority gave
    authority: str | None = None  # its address
    answer: bytes | None = None  # a TimeStampResp, DER
    chain: str | None = None  # its certificates, PEM, the signer's first: those that it sends are gone in some months
