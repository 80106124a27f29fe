"""Which notices are due, and which were sent and wait for what becomes of them."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from services.context import Product
from store.records import Case, CaseKey, CaseOrder, CaseStatus

_LOOKED_THROUGH: Final = 1_000  # confirmed cases, the newest
_AWAITED: Final = 50


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A notice that is still to be sent."""

    host: str
    holder: str | None
    copies: int
    case: int  # the number of the newest, on whose screen the notice is


def due_notices(product: Product) -> list[DueNotice]:
    """The notices about what is confirmed, still there and under no licence; those about the most copies first."""
    store = product.store
    found = store.cases.keys(status=CaseStatus.CONFIRMED, licensed=False, present=True, limit=_LOOKED_THROUGH)
    works = store.works.many({one["work_id"] for one in found})
    mains = store.mirrors.mains()
    groups: defaultdict[tuple[str, str | int], list[CaseKey]] = defaultdict(list)
    for one in found:
        work = works.get(one["work_id"])
        # Whose work it is has to be known before two copies stand in one notice.
        groups[mains.get(one["page_host"], one["page_host"]), (work and work.owner) or one["number"]].append(one)
    due = [
        DueNotice(host, holder if isinstance(holder, str) else None, len(keys), keys[0]["number"])
        for (host, holder), keys in groups.items()
    ]
    return sorted(due, key=lambda one: (-one.copies, one.host))


def awaited(product: Product) -> list[Case]:
    """The cases whose notice was sent, those whose deadline comes first."""
    return product.store.cases.find(status=CaseStatus.NOTICE_SENT, order=CaseOrder.DEADLINE, limit=_AWAITED)
