"""Compute deadlines of notices, and require what a holder needs to send one."""

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

NOTICE_TERM: Final = timedelta(days=7)  # that a notice gives where it names no other day
CLOCKED_STATUSES: Final = (CaseStatus.NOTICE_SENT, CaseStatus.COUNTERED)  # their deadline runs


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


def is_overdue(case: Case, now: datetime) -> bool:
    """Whether the deadline of a notice, or of a counter-notice, went by and nobody has gone on."""
    return case.status in CLOCKED_STATUSES and case.deadline is not None and case.deadline < now


# Whether the holders of the works of some cases can send a notice: known, and with papers that are valid that day.


def require_notice_ready(product: Product, cases: Collection[Case], moment: datetime) -> None:
    """Raise `BadInput`, which says what is missing or out of date on that day, unless the holder of each case's work
    can send a notice.
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
