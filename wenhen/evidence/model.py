"""Describe exhibits, receipts and time stamps."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from wenhen.kit.errors import Message

REPORT_AUDIT_SUBJECT: Final = "report:cases"  # subject of audit lines about reports of several cases


# Exhibits: requested, created, with their missing parts.


class ExhibitReason(StrEnum):
    """The reason for creating an exhibit."""

    ASKED = "asked"  # requested by a user
    CONFIRMED = "confirmed"  # the case was confirmed
    CHANGED = "changed"  # the page changed since the last exhibit
    VANISHED = "vanished"  # the page or the copy on it vanished


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A third party's receipt for the manifest of an exhibit: from a notary (公证书), tsa.cn or a court blockchain."""

    id: str
    issuer: str  # name of the third party
    file_name: str
    digest: str  # sha256 of the file, key of the blob
    size: int  # bytes
    manifest_digest: str  # sha256 of the manifest given to the issuer
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An exhibit, pending until `made_at`. Its file is a blob without the time stamp.

    state: identifies the evidence, see `wenhen.evidence.exhibits.case_state`.
    """

    id: str
    case_id: str
    case_number: int
    why: ExhibitReason
    by: str
    wanted_at: datetime
    state: str
    due: datetime | None  # time of the next try; None: created or given up
    tries: int = 0
    problem: Message | None = None  # error of the last try
    made_at: datetime | None = None
    file_digest: str | None = None
    size: int = 0  # bytes
    manifest_digest: str | None = None  # digest of the manifest, key of the blob; None for exhibits of earlier versions
    missing: tuple[Message, ...] = ()  # missing parts
    receipts: tuple[Receipt, ...] = ()
    sealed: str | None = None  # original headers whose secrets the file masks, sealed


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A time stamp of a short text, such as a signature."""

    id: str  # stamped object: exhibit:…, audit:…
    text: str  # ASCII, its SHA-256 is stamped
    wanted_at: datetime
    due: datetime | None  # time of the next request; None: received
    tries: int = 0
    problem: Message | None = None  # error of the last try
    at: datetime | None = None  # time from the authority
    authority: str | None = None  # URL of the authority
    answer: bytes | None = None  # TimeStampResp in DER
    chain: str | None = None  # certificates in PEM, signer first, stored because authorities replace them within months
