"""Compute deadlines of notices, and check that a holder can send one."""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import reduce
from typing import Final

from wenhen.cases.model import Case, CaseStatus
from wenhen.holders.model import missing_requirements
from wenhen.holders.service import find_holder
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Message, message
from wenhen.product.context import Product

NOTICE_TERM: Final = timedelta(days=7)  # default deadline after sending
CLOCKED_STATUSES: Final = (CaseStatus.NOTICE_SENT, CaseStatus.COUNTERED)  # statuses with a running deadline


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


# A holder can send a notice if its data is complete and its rights documents are valid on that day.


def require_notice_ready(product: Product, cases: Collection[Case], moment: datetime) -> None:
    """Raise `BadInput` with the missing or expired documents unless every holder can send a notice.

    moment: the sending time, which decides the day of validity.
    """
    works = product.store.works.many({case.work_id for case in cases})
    for case in cases:
        work = works.get(case.work_id)
        if work is None or not work.owner:
            raise BadInput("holders.nobody", number=case.number)
    for name in sorted({works[case.work_id].owner or "" for case in cases}):
        if lacking := missing_requirements(find_holder(product, name), china_day(moment)):
            raise BadInput(
                "holders.not_ready", holder=name, lacks=reduce(_join_messages, (lack.said for lack in lacking))
            )


def _join_messages(first: Message, more: Message) -> Message:
    return message("holders.and", first=first, more=more)
