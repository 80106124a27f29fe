"""A time stamp by another than ourselves (RFC 3161), from when it is wanted on."""

from dataclasses import dataclass
from datetime import datetime

from store.messages import Message


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
