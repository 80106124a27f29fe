"""A mail that came to the mailbox of notices."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One mail. It belongs to a notice, waits for somebody who knows to which, or was set aside as of none.

    id: sha256 of its bytes, under which they are kept. sent_at: as the mail itself says; at: when the mail server had
    it.
    """

    id: str
    at: datetime
    fetched_at: datetime
    sent_at: datetime | None
    sender: str
    subject: str
    text: str
    size: int  # bytes
    whole: bool = True  # only the head of one that is too large is kept
    automatic: bool = False
    attachments: tuple[str, ...] = ()
    is_report: bool = False  # of a mail server, on how a notice fared
    failed: bool = False  # it says that a notice could not be delivered
    notice: str | None = None
    assigned_at: datetime | None = None
    set_aside_at: datetime | None = None
    set_aside_by: str | None = None
