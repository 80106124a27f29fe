"""Define the path of a case: allowed moves, what a move changes, and how cases are ranked."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from math import log1p
from types import MappingProxyType
from typing import Final, NamedTuple

from matcher.model import Level, Match
from wenhen.cases.model import Case, CaseDecision, CaseOrder, CaseStatus, Extent, Move

# The path of a case: which status may follow which.
#
# ::
#
#     lead ─→ confirmed ─→ notice sent ─→ removed ─→ confirmed (it came back), countered
#       │ ╲       │             │    ╲      ↑
#       │  quiet  │             │   refused, countered
#       ↓         ↓             ↓      ↓    │
#       dismissed ┘             escalated ──┘ ─→ settled, licensed, closed
#                                   ↓                       ↑
#                                 court ────────────────────┘
#
# A suspicion stands below a lead: a person confirms or dismisses it, and a copy that is found later makes it a lead.


LEAD, CONFIRMED, NOTICE_SENT, REMOVED, REFUSED, ESCALATED, QUIET, DISMISSED, *_END_STATUSES, SUSPECTED = CaseStatus
COUNTERED, COURT, SETTLED, LICENSED, CLOSED = _END_STATUSES

NEXT_STATUSES: Final[Mapping[CaseStatus, tuple[CaseStatus, ...]]] = MappingProxyType(
    {
        LEAD: (CONFIRMED, QUIET, DISMISSED),
        CONFIRMED: (NOTICE_SENT, REMOVED, ESCALATED, SETTLED, LICENSED, DISMISSED, LEAD),
        NOTICE_SENT: (REMOVED, REFUSED, COUNTERED, ESCALATED, SETTLED, LICENSED, CONFIRMED),
        REMOVED: (CONFIRMED, COUNTERED, ESCALATED),
        REFUSED: (ESCALATED, COURT, NOTICE_SENT, REMOVED, SETTLED, LICENSED, CLOSED),
        COUNTERED: (ESCALATED, COURT, REMOVED, SETTLED, LICENSED, CLOSED),
        ESCALATED: (COURT, REMOVED, NOTICE_SENT, SETTLED, LICENSED, CLOSED, DISMISSED),
        COURT: (SETTLED, LICENSED, REMOVED, CLOSED),
        SETTLED: (CLOSED, CONFIRMED),
        LICENSED: (CLOSED, CONFIRMED),
        CLOSED: (CONFIRMED,),
        QUIET: (LEAD, CONFIRMED, DISMISSED),
        DISMISSED: (LEAD, CONFIRMED),
        SUSPECTED: (CONFIRMED, DISMISSED),
    }
)
# A copy that was found to be infringing and may still be there.
PURSUED_STATUSES: Final = (CONFIRMED, NOTICE_SENT, REFUSED, COUNTERED, ESCALATED, COURT)
# What a judgement of the queue is passed on: to confirm a case that is further on its path takes it back.
JUDGED_STATUSES: Final = (LEAD, QUIET, DISMISSED, SUSPECTED)
# What counts as no copy.
NON_COPY_STATUSES: Final = (DISMISSED, SUSPECTED)
# People said that it is a copy that should not be.
INFRINGING_STATUSES: Final = (*PURSUED_STATUSES, REMOVED, SETTLED, LICENSED, CLOSED)
# Notices and what became of them: not everybody who decides goes there.
STATUSES_BEYOND_CONFIRMED: Final = frozenset(set(INFRINGING_STATUSES) - {CONFIRMED})
STATUSES_WITH_REASON: Final = frozenset({DISMISSED, REFUSED, COUNTERED, SETTLED, LICENSED, CLOSED})


def previous_statuses(status: CaseStatus) -> tuple[CaseStatus, ...]:
    """From where a case may come to this status."""
    return tuple(previous for previous, following in NEXT_STATUSES.items() if status in following)


def is_copy(case: Case) -> bool:
    """Whether a case counts as a copy in lists and figures: neither dismissed nor a suspicion nor licensed."""
    return case.status not in NON_COPY_STATUSES and case.licence_id is None


def last_notice_time(case: Case) -> datetime | None:
    """When the last notice was sent; None where none was."""
    return case.notice_at or _last_move_time(case, NOTICE_SENT)


def removal_time(case: Case) -> datetime | None:
    """When the copy was found removed; None while it is not."""
    return _last_move_time(case, REMOVED) if case.status is REMOVED else None


def _last_move_time(case: Case, status: CaseStatus) -> datetime | None:
    return max((move.at for move in case.history if move.status is status), default=None)


CONFIRMATION_GROUNDS: Final = ("whole", "part", "disguised", "expression")  # of a confirmation, where it needs them
DISMISSAL_REASONS: Final = ("common", "quotation", "licensed", "chance")  # of a dismissal, each by a key


_MIN_SHARE_GROWTH: Final = (
    0.01  # share that a text has to gain; what is less comes from a page that changes at its edges
)
_MIN_UNCOUNTED_GROWTH: Final = 0.1  # the same where one of both was counted with white space


def has_grown(case: Case) -> bool:
    """Whether a quiet case copies more than when it was told to be quiet."""
    extent, match = case.extent, case.match
    alike = extent is not None and extent.counted == (match.copied_of_page is not None)
    least = _MIN_SHARE_GROWTH if alike else _MIN_UNCOUNTED_GROWTH
    return extent is not None and (
        match.share_of_page > extent.share_of_page + least
        or match.share_of_work > extent.share_of_work + least
        or len(match.passages) > extent.passages
    )


# A copy that is gone, and one that came back after its removal: what the machine has seen, for a person to confirm.


def proposed_status(case: Case) -> CaseStatus | None:
    """The status that a person is asked to confirm, if any: removed, or again confirmed."""
    if not case.present:
        return CaseStatus.REMOVED if case.status in PURSUED_STATUSES else None
    removed = case.status is CaseStatus.REMOVED
    came_back = removed and case.decided_at is not None and case.capture.fetched_at > case.decided_at
    return CaseStatus.CONFIRMED if came_back else None


# What an existing case keeps when the machine looks again: what people gave it, and what other steps did.
KEPT_FIELDS: Final = (
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
WAKE_ACTOR: Final = "wenhen"  # who moves a quiet case that has grown, or whose day has come


def move_case(case: Case, decision: CaseDecision) -> Case:
    """Return the case at its new status, with the move in its history."""
    move = Move(status=decision.status, at=decision.at, by=decision.by, note=decision.reason)
    return replace(
        case,
        status=decision.status,
        decided_at=decision.at,
        decided_by=decision.by,
        reason=decision.reason,
        updated_at=decision.at,
        history=(*case_history(case), move),
        extent=copied_extent(case.match) if decision.status is CaseStatus.QUIET else None,
        notice_at=decision.notice_at or case.notice_at,
        deadline=decision.deadline or case.deadline,
        lawsuit=decision.lawsuit or case.lawsuit,
        wakes_at=decision.wakes_at,
        asked=None,
    )


def case_history(case: Case) -> tuple[Move, ...]:
    """The moves so far; of a case that was decided before moves were kept, that decision."""
    if case.history or case.decided_at is None or case.decided_by is None:
        return case.history
    return (Move(status=case.status, at=case.decided_at, by=case.decided_by, note=case.reason),)


def copied_extent(match: Match) -> Extent:
    """How much is copied now: a quiet case wakes up when it is more."""
    return Extent(
        share_of_page=match.share_of_page,
        share_of_work=match.share_of_work,
        passages=len(match.passages),
        counted=match.copied_of_page is not None,
    )


def should_wake(case: Case) -> bool:
    """Whether a case that the machine has looked at again becomes a lead by itself."""
    copied = case.status is CaseStatus.SUSPECTED and case.match.level is not Level.SUSPECTED
    return copied or (case.status is CaseStatus.QUIET and has_grown(case))


def update_found_case(known: Case, newer: Case) -> Case:
    """A known case after a later look found the copy: a quiet one that has grown is a lead again, and
    a suspicion that has become a copy is one, too.
    """
    case = replace(newer, present=True, **{name: getattr(known, name) for name in KEPT_FIELDS})
    if should_wake(case):
        return move_case(case, CaseDecision(status=CaseStatus.LEAD, by=WAKE_ACTOR, at=case.updated_at))
    return case


# In what order a list of cases stands: what each order sorts by, and how much a case is worth a look.


class CaseSorting(NamedTuple):
    """By which figure of a case, the largest first or last; of those that are equal the newest comes first."""

    by: str
    largest_first: bool = True


CASE_SORTINGS: Final[Mapping[CaseOrder, CaseSorting]] = MappingProxyType(
    {
        CaseOrder.WORTH: CaseSorting("worth"),
        CaseOrder.NEWEST: CaseSorting("number"),
        CaseOrder.OLDEST: CaseSorting("number", largest_first=False),
        CaseOrder.LARGEST: CaseSorting("share_of_page"),
        CaseOrder.LIKELIEST: CaseSorting("score"),
        CaseOrder.DEADLINE: CaseSorting("deadline", largest_first=False),
    }
)
DEFAULT_CASE_ORDER: Final = CaseOrder.WORTH  # of the queue, unless another is chosen
_QUOTATION_LETTERS = 40.0  # letters; twice as many rare ones are worth less than twice the look


def case_worth(*, share_of_page: float, share_of_work: float, weight: float) -> float:
    """How much a case is worth a look, 0 and up: share × length × rarity.

    The larger share counts; length and rarity are the letters that agree, less for what others have as well, which is
    a match's weight. They count by their logarithm, as a whole poem is worth the look that some pages of a novel are.
    """
    return max(share_of_page, share_of_work) * log1p(max(0.0, weight) / _QUOTATION_LETTERS)
