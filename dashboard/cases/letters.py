"""The notices that are still to be written: confirmed copies, by the site that carries them and the holder."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from dashboard.frame.context import services
from store.records import Case, CaseKey, CaseOrder, CaseStatus

MOST: Final = 1_000  # confirmed cases that are looked through, the newest
_AWAITED: Final = 50


@dataclass(frozen=True, slots=True)
class Letter:
    """One notice."""

    host: str
    holder: str | None
    copies: int
    case: int  # the number of the newest, on whose screen the notice is


def to_write() -> list[Letter]:
    """The notices about what is confirmed, still there and under no licence; those about the most copies first."""
    store = services().store
    found = store.cases.keys(status=CaseStatus.CONFIRMED, licensed=False, present=True, limit=MOST)
    works = store.works.many({one["work_id"] for one in found})
    groups: defaultdict[tuple[str, str | int], list[CaseKey]] = defaultdict(list)
    for one in found:
        work = works.get(one["work_id"])
        # Whose work it is has to be known before two copies stand in one letter.
        groups[one["page_host"], (work and work.owner) or one["number"]].append(one)
    letters = [
        Letter(host, holder if isinstance(holder, str) else None, len(keys), keys[0]["number"])
        for (host, holder), keys in groups.items()
    ]
    return sorted(letters, key=lambda one: (-one.copies, one.host))


def awaited() -> list[Case]:
    """The cases whose notice was sent, those whose deadline comes first."""
    return services().store.cases.find(status=CaseStatus.NOTICE_SENT, order=CaseOrder.DEADLINE, limit=_AWAITED)
