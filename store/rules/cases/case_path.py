"""The path of a case: which status may follow which.

::

    lead ─→ confirmed ─→ notice sent ─→ removed ─→ confirmed (it came back), countered
      │ ╲       │             │    ╲      ↑
      │  quiet  │             │   refused, countered
      ↓         ↓             ↓      ↓    │
      dismissed ┘             escalated ──┘ ─→ settled, licensed, closed
                                  ↓                       ↑
                                court ────────────────────┘

A suspicion stands below a lead: a person confirms or dismisses it, and a copy that is found later makes it a lead.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from store.records import Case, CaseStatus

LEAD, CONFIRMED, NOTICE_SENT, REMOVED, REFUSED, ESCALATED, QUIET, DISMISSED, *_ENDS, SUSPECTED = CaseStatus
COUNTERED, COURT, SETTLED, LICENSED, CLOSED = _ENDS

FOLLOWING: Final[Mapping[CaseStatus, tuple[CaseStatus, ...]]] = MappingProxyType(
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
PURSUED: Final = (CONFIRMED, NOTICE_SENT, REFUSED, COUNTERED, ESCALATED, COURT)
# What a judgement of the queue is passed on: to confirm a case that is further on its path takes it back.
JUDGED: Final = (LEAD, QUIET, DISMISSED, SUSPECTED)
# What counts as no copy.
NO_COPY: Final = (DISMISSED, SUSPECTED)
# People said that it is a copy that should not be.
INFRINGING: Final = (*PURSUED, REMOVED, SETTLED, LICENSED, CLOSED)
# Notices and what became of them: not everybody who decides goes there.
BEYOND: Final = frozenset(set(INFRINGING) - {CONFIRMED})
NEEDS_REASON: Final = frozenset({DISMISSED, REFUSED, COUNTERED, SETTLED, LICENSED, CLOSED})


def before(status: CaseStatus) -> tuple[CaseStatus, ...]:
    """From where a case may come to this status."""
    return tuple(one for one, following in FOLLOWING.items() if status in following)


def is_copy(case: Case) -> bool:
    """Whether a case counts as a copy in lists and figures: neither dismissed nor a suspicion nor licensed."""
    return case.status not in NO_COPY and case.licence_id is None


def noticed_at(case: Case) -> datetime | None:
    """When the last notice was sent; None where none was."""
    return case.notice_at or _last_move(case, NOTICE_SENT)


def removed_at(case: Case) -> datetime | None:
    """When the copy was found removed; None while it is not."""
    return _last_move(case, REMOVED) if case.status is REMOVED else None


def _last_move(case: Case, status: CaseStatus) -> datetime | None:
    return max((move.at for move in case.history if move.status is status), default=None)
