"""Describe rights holders and their rights documents, and decide what a notice still needs."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final, NamedTuple

from wenhen.kit.clock import china_day
from wenhen.kit.errors import Message, message


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


TEXT_FIELDS: Final = ("identity", "contact", "address", "representative")  # fields that people fill in, in this order


# What a holder needs before a notice is sent in its name, and which of it is missing or out of date.
#
# Sources: Regulation on the Protection of the Right of Communication through Information Networks
# (信息网络传播权保护条例), article 14: name, contact and address; Civil Code (民法典), article 1195: the true identity
# of the holder and prima facie proof. Who acts for a holder shows that they may: Civil Code, article 165.


REQUIRED_FIELDS: Final = (
    "contact",
    "address",
    "identity",
    "representative",
)  # what has to be written down; the last one of some


class Lack(NamedTuple):
    """Something that keeps a notice from being sent. what: name of a field of `Holder`, or ``paper_<kind>``."""

    what: str
    said: Message


def required_papers(holder: Holder) -> tuple[PaperKind, ...]:
    """The papers without which no notice is sent."""
    if holder.acts_itself:
        return (PaperKind.IDENTITY, PaperKind.PROOF)
    return tuple(PaperKind)


def missing_requirements(holder: Holder, day: date) -> list[Lack]:
    """What the holder lacks on this day, in the order in which a form asks for it."""
    required = REQUIRED_FIELDS[:-1] if holder.acts_itself else REQUIRED_FIELDS
    fields = [Lack(name, message(f"holders.untold_{name}")) for name in required if not getattr(holder, name)]
    papers = (_missing_paper(holder, kind, day) for kind in required_papers(holder))
    return fields + [paper for paper in papers if paper is not None]


def is_paper_valid(paper: Paper, day: date) -> bool:
    """Whether the paper is valid on this day."""
    return china_day(paper.valid_from) <= day and not is_paper_expired(paper, day)


def is_paper_expired(paper: Paper, day: date) -> bool:
    """Whether the paper's last day has gone by."""
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
        said = message("holders.paper_expired", paper=name, day=china_day(max(ended)).isoformat())
    else:
        begins = min(paper.valid_from for paper in papers)
        said = message("holders.paper_not_yet", paper=name, day=china_day(begins).isoformat())
    return Lack(f"paper_{kind}", said)
