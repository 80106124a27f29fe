"""Define the life cycle of a case: allowed transitions, their effects, and the ranking of cases."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from math import log1p
from types import MappingProxyType
from typing import Final, NamedTuple

from matcher.model import Level, Match
from wenhen.cases.model import Case, CaseDecision, CaseOrder, CaseStatus, Extent, Move, Opinion

# Transitions between statuses.
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
# A suspected case ranks below a lead. A user confirms or dismisses it, or a copy found later makes it a lead.


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
# The copy infringes and may still be online.
PURSUED_STATUSES: Final = (CONFIRMED, NOTICE_SENT, REFUSED, COUNTERED, ESCALATED, COURT)
# Statuses to judge in the queue. Confirming a case beyond them moves it backwards.
JUDGED_STATUSES: Final = (LEAD, QUIET, DISMISSED, SUSPECTED)
# Statuses that do not count as a copy.
NON_COPY_STATUSES: Final = (DISMISSED, SUSPECTED)
# Users found that it infringes.
INFRINGING_STATUSES: Final = (*PURSUED_STATUSES, REMOVED, SETTLED, LICENSED, CLOSED)
# Notices and later steps, which need an additional right.
STATUSES_BEYOND_CONFIRMED: Final = frozenset(set(INFRINGING_STATUSES) - {CONFIRMED})
STATUSES_WITH_REASON: Final = frozenset({DISMISSED, REFUSED, COUNTERED, SETTLED, LICENSED, CLOSED})


def previous_statuses(status: CaseStatus) -> tuple[CaseStatus, ...]:
    """Return the statuses from which a case may move to this status."""
    return tuple(previous for previous, following in NEXT_STATUSES.items() if status in following)


def is_licensed(case: Case) -> bool:
    """Return whether a licence covers a case. A reprint without the attribution that it demands is a copy."""
    return case.licence_id is not None and case.credited is not False


def is_copy(case: Case) -> bool:
    """Return whether a case counts as a copy: neither dismissed, suspected nor licensed."""
    return case.status not in NON_COPY_STATUSES and not is_licensed(case)


def last_notice_time(case: Case) -> datetime | None:
    """Return when the last notice was sent, or None."""
    return case.notice_at or _last_move_time(case, NOTICE_SENT)


def _last_move_time(case: Case, status: CaseStatus) -> datetime | None:
    return max((move.at for move in case.history if move.status is status), default=None)


CONFIRMATION_GROUNDS: Final = ("whole", "part", "disguised", "expression")  # grounds of a confirmation
DISMISSAL_REASONS: Final = ("common", "quotation", "licensed", "chance")  # keys of the reasons for a dismissal


_MIN_SHARE_GROWTH: Final = 0.01  # growth of a share that counts; less is noise from changes at the edges of a page
_MIN_UNCOUNTED_GROWTH: Final = 0.1  # the same if one of the shares was counted with whitespace


def has_grown(case: Case) -> bool:
    """Return whether a quiet case copies more than when it was set to quiet."""
    extent, match = case.extent, case.match
    alike = extent is not None and extent.counted == (match.copied_of_page is not None)
    least = _MIN_SHARE_GROWTH if alike else _MIN_UNCOUNTED_GROWTH
    return extent is not None and (
        match.share_of_page > extent.share_of_page + least
        or match.share_of_work > extent.share_of_work + least
        or len(match.passages) > extent.passages
    )


# Copies that are gone or back: the system detects this, and a user confirms it.


def proposed_status(case: Case) -> CaseStatus | None:
    """Return the status that a user should confirm: REMOVED, CONFIRMED again, or None."""
    if not case.present:
        return CaseStatus.REMOVED if case.status in PURSUED_STATUSES else None
    removed = case.status is CaseStatus.REMOVED
    came_back = removed and case.decided_at is not None and case.capture.fetched_at > case.decided_at
    return CaseStatus.CONFIRMED if came_back else None


# Fields that an existing case keeps when the matcher finds it again.
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
    "assigned_at",
    "assigned_by",
    "notice_at",
    "deadline",
    "lawsuit",
    "extent",
    "wakes_at",
    "asked",
    "asked_by",
    "opinion",
    "cluster_id",
)
WAKE_ACTOR: Final = "wenhen"  # user name for reopening a quiet case


def move_case(case: Case, decision: CaseDecision) -> Case:
    """Return the case at its new status, with the transition in its history."""
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
        asked_by=None,
        opinion=_given_opinion(case, decision),
    )


def _given_opinion(case: Case, decision: CaseDecision) -> Opinion | None:
    """Return the newest answer to a request for a second opinion. A person's decision answers it."""
    if case.asked is None or case.asked_by is None or decision.by == WAKE_ACTOR:
        return case.opinion
    return Opinion(asked_by=case.asked_by, by=decision.by, at=decision.at)


def case_history(case: Case) -> tuple[Move, ...]:
    """Return the history. For a case decided before histories were stored, return that decision."""
    if case.history or case.decided_at is None or case.decided_by is None:
        return case.history
    return (Move(status=case.status, at=case.decided_at, by=case.decided_by, note=case.reason),)


def copied_extent(match: Match) -> Extent:
    """Return how much is copied now. A quiet case reopens when it grows."""
    return Extent(
        share_of_page=match.share_of_page,
        share_of_work=match.share_of_work,
        passages=len(match.passages),
        counted=match.copied_of_page is not None,
    )


def should_wake(case: Case) -> bool:
    """Return whether a case becomes a lead after a new match."""
    copied = case.status is CaseStatus.SUSPECTED and case.match.level is not Level.SUSPECTED
    return copied or (case.status is CaseStatus.QUIET and has_grown(case))


# Sort orders of case lists, and the priority of a case.


class CaseSorting(NamedTuple):
    """The sort field and direction of a list. Ties are ordered newest first."""

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
DEFAULT_CASE_ORDER: Final = CaseOrder.WORTH  # default order of the queue
_QUOTATION_LETTERS = 40.0  # initials; the scale of the logarithm


def case_worth(*, share_of_page: float, share_of_work: float, weight: float) -> float:
    """Return the priority of a case, from 0: share × log(1 + weight / 40).

    The larger share counts. The weight of a match combines length and rarity: it counts agreeing initials, less for
    common ones. The logarithm keeps a whole poem comparable to some pages of a novel.
    """
    return max(share_of_page, share_of_work) * log1p(max(0.0, weight) / _QUOTATION_LETTERS)
