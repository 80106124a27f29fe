"""The columns of the queue: which there are, by which of them it can be sorted, and which a person wants to see."""

from collections.abc import Sequence
from typing import Final

from services.cases.case_filter import Filter
from store.records import CaseOrder

CHOICES: Final = (  # besides the number and the page
    "work",
    "level",
    "score",
    "share_of_page",
    "share_of_work",
    "longest_run",
    "opened_at",
    "status",
)
AT_FIRST: Final = ("work", "level", "score", "share_of_page", "status")
_ORDERS: Final[dict[str, tuple[CaseOrder, ...]]] = {
    "number": (CaseOrder.NEWEST, CaseOrder.OLDEST),
    "score": (CaseOrder.LIKELIEST,),
    "share_of_page": (CaseOrder.LARGEST,),
    "opened_at": (CaseOrder.NEWEST, CaseOrder.OLDEST),
}
_ASCENDING: Final = CaseOrder.OLDEST


def columns(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Those that are wanted and exist, in the order of the list; None: those that everybody begins with."""
    return tuple(name for name in CHOICES if name in (AT_FIRST if wanted is None else wanted))


def order_by(name: str, now: CaseOrder) -> CaseOrder | None:
    """The order that a press on the heading asks for; None where the list cannot be sorted by it."""
    orders = _ORDERS.get(name, ())
    return next((order for order in orders if order is not now), orders[0] if orders else None)


def sorted_how(name: str, chosen: Filter) -> str | None:
    """How the column is sorted at present, in the words of `aria-sort`."""
    if chosen.sorted_by not in _ORDERS.get(name, ()):
        return None
    return "ascending" if chosen.sorted_by is _ASCENDING else "descending"
