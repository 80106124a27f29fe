"""Describe rights holders and their rights documents, and decide what a notice still needs."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final, NamedTuple

from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message, message


class PaperKind(StrEnum):
    """The kinds of rights documents."""

    IDENTITY = "identity"  # identity of the holder: an identity card, a business licence
    REPRESENTATIVE = "representative"  # the representative of the holder
    AUTHORITY = "authority"  # the power of attorney of the representative
    PROOF = "proof"  # proof of the rights: registrations, contracts, first publication


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A rights document with its period of validity, and its file if there is one."""

    id: str
    kind: PaperKind
    title: str
    valid_from: datetime  # start of its first day in China
    valid_until: datetime | None = None  # start of its last day in China; None: unlimited
    file_name: str | None = None
    digest: str | None = None  # SHA-256 of the file, key of the blob
    size: int = 0  # bytes
    added_at: datetime
    added_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A rights holder: the data for notices, and its own sites."""

    id: str  # the name, as in `Work.owner`
    contact: str | None = None  # a person, telephone, mail
    address: str | None = None  # postal
    sites: tuple[str, ...] = ()  # host or host/path without scheme; works on them are no copies
    identity: str | None = None  # number of the identity card or the business licence
    representative: str | None = None  # a lawyer, an agency
    acts_itself: bool = False  # it signs itself, and needs no power of attorney
    papers: tuple[Paper, ...] = ()


TEXT_FIELDS: Final = ("identity", "contact", "address", "representative")  # text fields of the form, in order


# Requirements for notices in the name of a holder, and which of them are missing or expired.
#
# Sources: Regulation on the Protection of the Right of Communication through Information Networks
# (信息网络传播权保护条例), article 14: name, contact and address; Civil Code (民法典), article 1195: the true identity
# of the holder and prima facie proof. A representative must prove the authority: Civil Code, article 165.


REQUIRED_FIELDS: Final = (
    "contact",
    "address",
    "identity",
    "representative",
)  # required fields; the last one unless the holder acts itself


class Lack(NamedTuple):
    """A missing requirement that blocks notices. what: name of a field of `Holder`, or ``paper_<kind>``."""

    what: str
    said: Message


def required_papers(holder: Holder) -> tuple[PaperKind, ...]:
    """Return the kinds of documents that notices require."""
    if holder.acts_itself:
        return (PaperKind.IDENTITY, PaperKind.PROOF)
    return tuple(PaperKind)


def missing_requirements(holder: Holder, day: date) -> list[Lack]:
    """Return the requirements that are missing on this day, in the order of the form."""
    required = REQUIRED_FIELDS[:-1] if holder.acts_itself else REQUIRED_FIELDS
    fields = [Lack(name, message(f"holders.untold_{name}")) for name in required if not getattr(holder, name)]
    papers = (_missing_paper(holder, kind, day) for kind in required_papers(holder))
    return fields + [paper for paper in papers if paper is not None]


def is_paper_valid(paper: Paper, day: date) -> bool:
    """Return whether the document is valid on this day."""
    return china_day(paper.valid_from) <= day and not is_paper_expired(paper, day)


def is_paper_expired(paper: Paper, day: date) -> bool:
    """Return whether the last day of the document has passed."""
    return paper.valid_until is not None and china_day(paper.valid_until) < day


def _missing_paper(holder: Holder, kind: PaperKind, day: date) -> Lack | None:
    papers = [paper for paper in holder.papers if paper.kind is kind]
    if any(is_paper_valid(paper, day) for paper in papers):
        return None
    name = message(f"holders.kind_{kind}")
    if not papers:
        return Lack(f"paper_{kind}", message("holders.no_paper", paper=name))
    if ended := [
        paper.valid_until for paper in papers if paper.valid_until is not None and is_paper_expired(paper, day)
    ]:
        sentence = message("holders.paper_expired", paper=name, day=china_day(max(ended)).isoformat())
    else:
        begins = min(paper.valid_from for paper in papers)
        sentence = message("holders.paper_not_yet", paper=name, day=china_day(begins).isoformat())
    return Lack(f"paper_{kind}", sentence)
