"""Who holds the rights in works, and the papers that show it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PaperKind(StrEnum):
    """What a paper of a holder shows."""

    IDENTITY = "identity"  # who the holder is: an identity card, a business licence
    REPRESENTATIVE = "representative"  # who acts for the holder
    AUTHORITY = "authority"  # that they may: the power of attorney
    PROOF = "proof"  # that the rights are the holder's: registrations, contracts, first publication


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper and the days on which it is valid; its file, where one was kept, as it came."""

    id: str
    kind: PaperKind
    title: str
    valid_from: datetime  # the beginning of its first day in China
    valid_until: datetime | None = None  # the beginning of its last day in China; None: without end
    file_name: str | None = None
    digest: str | None = None  # sha256 of the file, key of the blob
    size: int = 0  # bytes
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A rights holder, named as the works' owner; what a notice has to say of it, and the places that are its own."""

    id: str  # the name, as `Work.owner` has it
    contact: str | None = None  # a person, telephone, mail
    address: str | None = None  # postal
    sites: tuple[str, ...] = ()  # host or host/path without scheme: its works are at home there
    identity: str | None = None  # number of the identity card or the business licence
    representative: str | None = None  # who acts for it: a lawyer, an agency
    acts_itself: bool = False  # nobody else signs for it, so that it needs no power of attorney
    papers: tuple[Paper, ...] = ()
