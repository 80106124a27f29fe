"""Who did what."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class ActingToken(NamedTuple):
    """The API token through which something is done, as the audit log names it."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing that somebody did; it is written once and never changed."""

    id: str
    number: int  # counts from 1 in the order of writing; without a gap since lines have a hash
    at: datetime
    who: str  # name of the user, or of the command's caller
    action: str  # e.g. case.decide, user.role
    subject: str  # what it was done to: case:12, user:shen, site:copies
    old: str | None = None
    new: str | None = None
    token: str | None = None  # id of the API token through which it was done
    token_name: str | None = None
    hash: str | None = None  # over this line and the hash of the one before (`store.rules.audit_chain`)
