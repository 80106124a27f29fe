"""What a holder needs before a notice is sent in its name, and which of it is missing or out of date.

Sources: Regulation on the Protection of the Right of Communication through Information Networks
(信息网络传播权保护条例), article 14: name, contact and address; Civil Code (民法典), article 1195: the true identity of
the holder and prima facie proof. Who acts for a holder shows that they may: Civil Code, article 165.
"""

from datetime import date
from typing import Final, NamedTuple

from store.messages import Message, message
from store.records import Holder, Paper, PaperKind
from store.rules.china_time import day_of

TOLD: Final = ("contact", "address", "identity", "representative")  # what has to be written down; the last one of some


class Lack(NamedTuple):
    """Something that keeps a notice from being sent. what: name of a field of `Holder`, or ``paper_<kind>``."""

    what: str
    said: Message


def needed(holder: Holder) -> tuple[PaperKind, ...]:
    """The papers without which no notice is sent."""
    if holder.acts_itself:
        return (PaperKind.IDENTITY, PaperKind.PROOF)
    return tuple(PaperKind)


def lacks(holder: Holder, day: date) -> list[Lack]:
    """What the holder lacks on this day, in the order in which a form asks for it."""
    told = TOLD[:-1] if holder.acts_itself else TOLD
    fields = [Lack(name, message(f"holders.untold_{name}")) for name in told if not getattr(holder, name)]
    papers = (_lack_of_paper(holder, kind, day) for kind in needed(holder))
    return fields + [one for one in papers if one is not None]


def valid(paper: Paper, day: date) -> bool:
    """Whether the paper is valid on this day."""
    return day_of(paper.valid_from) <= day and not expired(paper, day)


def expired(paper: Paper, day: date) -> bool:
    """Whether the paper's last day has gone by."""
    return paper.valid_until is not None and day_of(paper.valid_until) < day


def _lack_of_paper(holder: Holder, kind: PaperKind, day: date) -> Lack | None:
    papers = [paper for paper in holder.papers if paper.kind is kind]
    if any(valid(paper, day) for paper in papers):
        return None
    name = message(f"holders.kind_{kind}")
    if not papers:
        return Lack(f"paper_{kind}", message("holders.no_paper", paper=name))
    if ended := [paper.valid_until for paper in papers if paper.valid_until is not None and expired(paper, day)]:
        said = message("holders.paper_expired", paper=name, day=day_of(max(ended)).isoformat())
    else:
        begins = min(paper.valid_from for paper in papers)
        said = message("holders.paper_not_yet", paper=name, day=day_of(begins).isoformat())
    return Lack(f"paper_{kind}", said)
