"""By when a notice, or a counter-notice, has to be answered, and whether that day went by."""

from datetime import datetime, timedelta
from typing import Final

from store.errors import BadInput
from store.records import Case, CaseStatus

NOTICE_TERM: Final = timedelta(days=7)  # that a notice gives where it names no other day
CLOCKED: Final = (CaseStatus.NOTICE_SENT, CaseStatus.COUNTERED)  # their deadline runs


def notice_dates(
    status: CaseStatus, notice_at: datetime | None, deadline: datetime | None, now: datetime, counter_term: timedelta
) -> dict[str, datetime]:
    """The dates of a notice, or of a counter-notice, that a case is decided as now; others have none. Raises
    `BadInput`.
    """
    if status is CaseStatus.COUNTERED:
        return {"deadline": deadline or now + counter_term}
    if status is not CaseStatus.NOTICE_SENT:
        return {}
    sent_at = notice_at or now
    deadline = deadline or sent_at + NOTICE_TERM
    if deadline < sent_at:
        raise BadInput("cases.deadline")
    return {"notice_at": sent_at, "deadline": deadline}


def overdue(case: Case, now: datetime) -> bool:
    """Whether the deadline of a notice, or of a counter-notice, went by and nobody has gone on."""
    return case.status in CLOCKED and case.deadline is not None and case.deadline < now
