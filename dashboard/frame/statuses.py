"""Which statuses a screen counts: those of every day, and others where a case stands at one."""

from collections.abc import Mapping
from typing import Final

from store.records import CaseStatus

EVERYDAY: Final = frozenset({CaseStatus.LEAD, CaseStatus.CONFIRMED, CaseStatus.NOTICE_SENT, CaseStatus.REMOVED})


def worth_showing(counts: Mapping[CaseStatus, int], chosen: CaseStatus | None = None) -> dict[CaseStatus, int]:
    """The counts to show, in the order of the way of a case. chosen: the one that the reader looks at.

    >>> worth_showing({CaseStatus.LEAD: 0, CaseStatus.SETTLED: 0, CaseStatus.CLOSED: 2})
    {<CaseStatus.LEAD: 'lead'>: 0, <CaseStatus.CLOSED: 'closed'>: 2}
    """
    return {
        status: counts[status]
        for status in CaseStatus
        if status in counts and (counts[status] or status in EVERYDAY or status == chosen)
    }
