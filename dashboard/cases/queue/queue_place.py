"""Where a case stands in the list that it was opened from, and which one follows."""

from typing import NamedTuple

from dashboard.cases.queue.suspect_page import LISTED
from dashboard.frame.context import acting, services
from services.cases.case_filter import Filter
from store.records import Case, CaseOrder, CaseStatus


class QueuePlace(NamedTuple):
    """The number of the case that follows, None after the last; `at` counts from 1, and is 0 where it is not told."""

    following: int | None
    at: int = 0
    of: int = 0


def place(case: Case, chosen: Filter) -> QueuePlace:
    """The place in the list of this filter; without one, the next case that waits for a decision."""
    if not chosen.arguments():
        return QueuePlace(_next_lead(case))
    order = chosen.sorted_by
    keys = services().store.cases.keys(**chosen.conditions(acting()), order=order, limit=LISTED)
    return in_list([key["number"] for key in keys], case.number, order)


def in_list(numbers: list[int], number: int, order: CaseOrder) -> QueuePlace:
    """The place of a case in a list of numbers.

    One that has left the list, as a decision does, is followed by the case that stood behind it, or by the first one
    where the order does not tell which that was.
    """
    if number in numbers:
        at = numbers.index(number)
        return QueuePlace(next(iter(numbers[at + 1 :]), None), at + 1, len(numbers))
    behind = {
        CaseOrder.NEWEST: (one for one in numbers if one < number),
        CaseOrder.OLDEST: (one for one in numbers if one > number),
    }.get(order, iter(numbers))
    return QueuePlace(next(behind, None), 0, len(numbers))


def _next_lead(case: Case) -> int | None:
    cases = services().store.cases
    older = cases.find(status=CaseStatus.LEAD, below=case.number, limit=1)
    newest = older or cases.find(status=CaseStatus.LEAD, limit=1)
    return next((one.number for one in newest if one.number != case.number), None)
