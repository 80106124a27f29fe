"""Compute the deadlines of notices and counter-notices, and tell which have passed."""

from datetime import datetime, timedelta
from typing import Final

from wenhen.cases.model import Case, CaseStatus
from wenhen.kit.errors import BadInput

NOTICE_TERM: Final = timedelta(days=7)  # default deadline after sending
CLOCKED_STATUSES: Final = (CaseStatus.NOTICE_SENT, CaseStatus.COUNTERED)  # statuses with a running deadline


def deadline_after(sent_at: datetime, days: int) -> datetime:
    """Return the deadline of a notice that gives its receiver so many days."""
    return sent_at + timedelta(days=days)


def notice_dates(
    status: CaseStatus, notice_at: datetime | None, deadline: datetime | None, now: datetime, counter_term: timedelta
) -> dict[str, datetime]:
    """Return the date fields of a decision for a notice or counter-notice. Empty for other statuses.

    Raises `BadInput` if the deadline is before the sending date.
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


def is_overdue(case: Case, now: datetime) -> bool:
    """Return whether the deadline of a notice or counter-notice has passed without a further decision."""
    return case.status in CLOCKED_STATUSES and case.deadline is not None and case.deadline < now
