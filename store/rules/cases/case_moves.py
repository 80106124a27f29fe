"""What a move makes of a case, and what a later look of the machine leaves of it."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from store.records import Case, CaseStatus, Extent, Lawsuit, Level, Match, Move
from store.rules.cases.has_grown import has_grown

# What an existing case keeps when the machine looks again: what people gave it, and what other steps did.
KEPT: Final = (
    "id",
    "number",
    "status",
    "opened_at",
    "decided_at",
    "decided_by",
    "reason",
    "history",
    "assignee",
    "notice_at",
    "deadline",
    "lawsuit",
    "extent",
    "wakes_at",
    "asked",
    "cluster_id",
)
WAKER: Final = "wenhen"  # who moves a quiet case that has grown, or whose day has come


def moved(
    case: Case,
    status: CaseStatus,
    *,
    by: str,
    reason: str | None,
    at: datetime,
    notice_at: datetime | None = None,
    deadline: datetime | None = None,
    wakes_at: datetime | None = None,
    lawsuit: Lawsuit | None = None,
) -> Case:
    """The case at its new status, with the move in its history; dates of its notice, and its lawsuit, stay as they are
    where they are None.
    """
    return replace(
        case,
        status=status,
        decided_at=at,
        decided_by=by,
        reason=reason,
        updated_at=at,
        history=(*history(case), Move(status=status, at=at, by=by, note=reason)),
        extent=extent(case.match) if status is CaseStatus.QUIET else None,
        notice_at=notice_at or case.notice_at,
        deadline=deadline or case.deadline,
        lawsuit=lawsuit or case.lawsuit,
        wakes_at=wakes_at,
        asked=None,
    )


def history(case: Case) -> tuple[Move, ...]:
    """The moves so far; of a case that was decided before moves were kept, that decision."""
    if case.history or case.decided_at is None or case.decided_by is None:
        return case.history
    return (Move(status=case.status, at=case.decided_at, by=case.decided_by, note=case.reason),)


def extent(match: Match) -> Extent:
    """How much is copied now: a quiet case wakes up when it is more."""
    return Extent(share_of_page=match.share_of_page, share_of_work=match.share_of_work, passages=len(match.passages))


def wakes(case: Case) -> bool:
    """Whether a case that the machine has looked at again becomes a lead by itself."""
    copied = case.status is CaseStatus.SUSPECTED and case.match.level is not Level.SUSPECTED
    return copied or (case.status is CaseStatus.QUIET and has_grown(case))


def found_again(known: Case, found: Case) -> Case:
    """A known case after a later look found the copy: a quiet one that has grown is a lead again, and
    a suspicion that has become a copy is one, too.
    """
    case = replace(found, present=True, **{name: getattr(known, name) for name in KEPT})
    if wakes(case):
        return moved(case, CaseStatus.LEAD, by=WAKER, reason=None, at=case.updated_at)
    return case
