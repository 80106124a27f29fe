"""The notices to those who run sites: what stands in one, which are due, and which are waited for.

A notice is one letter about every confirmed copy of one holder's works on one site and its mirrors. What has to stand
in it: Regulation on the Protection of the Right of Communication through Information Networks (信息网络传播权保护条例),
article 14.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from typing import Final

from services.context import Product
from services.holders.holders import lacks_now
from store.errors import BadInput, NotFound
from store.messages import Message, message
from store.records import Case, CaseKey, CaseOrder, CaseStatus, Holder, Work
from store.rules.cases.deadlines import NOTICE_TERM
from store.rules.china_time import day_of
from store.rules.library.holder_papers import Lack, lacks
from store.rules.web.mirror_counting import hosts_counted_as

MOST: Final = 200  # copies of one notice
_LOOKED_THROUGH: Final = 1_000  # confirmed cases, the newest
_AWAITED: Final = 50


@dataclass(frozen=True, slots=True)
class NoticeSubject:
    """What a notice is about. missing: what keeps it from being sent, and works whose publication nobody shows."""

    case: Case
    hosts: tuple[str, ...]  # the site of the case, with its mirrors
    holder: Holder | None
    works: list[Work]
    copies: list[Case]
    deadline: date  # in China
    missing: list[Lack]

    @property
    def to_send(self) -> list[int]:
        """The numbers of the copies that this notice would be the first for."""
        return [one.number for one in self.copies if one.status is CaseStatus.CONFIRMED]


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A notice that is still to be sent."""

    host: str
    holder: str | None
    copies: int
    case: int  # the number of the newest, on whose screen the notice is


def notice_about(product: Product, case: Case) -> NoticeSubject:
    """The notice about a case. Other copies come into it when they are confirmed, still there, and under no licence."""
    store = product.store
    hosts = same_site(product, case.page_host)
    others = store.cases.find(hosts=hosts, status=CaseStatus.CONFIRMED, licensed=False, limit=MOST)
    works = store.works.many({one.work_id for one in [case, *others]})
    mine = works.get(case.work_id)
    owner = mine.owner if mine else None
    still_there = [one for one in others if one.present and one.id != case.id]
    of_holder = [one for one in still_there if owner and _owned(works.get(one.work_id), owner)]
    copies = sorted([case, *of_holder], key=lambda one: one.number)
    concerned = {one.work_id: works[one.work_id] for one in copies if one.work_id in works}
    holder = _holder(product, owner)
    return NoticeSubject(
        case=case,
        hosts=hosts,
        holder=holder,
        works=list(concerned.values()),
        copies=copies,
        deadline=day_of(case.deadline or product.now() + NOTICE_TERM),
        missing=_missing(product, holder, list(concerned.values())),
    )


def same_site(product: Product, host: str) -> tuple[str, ...]:
    """All hosts that carry the same site as this one, the one that they are counted as first."""
    mains = product.store.mirrors.mains()
    return hosts_counted_as(mains.get(host, host), mains)


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


def require_ready(product: Product, cases: Collection[Case], at: datetime) -> None:
    """Raise `BadInput`, which says what is missing or out of date on that day, unless the holder of each case's work
    can send a notice.
    """
    works = product.store.works.many({case.work_id for case in cases})
    for case in cases:
        work = works.get(case.work_id)
        if work is None or not work.owner:
            raise BadInput("holders.nobody", number=case.number)
    for name in sorted({works[case.work_id].owner or "" for case in cases}):
        if lacking := lacks(_known(product, name), day_of(at)):
            raise BadInput("holders.not_ready", holder=name, lacks=reduce(_and, (one.said for one in lacking)))


def _and(first: Message, more: Message) -> Message:
    return message("holders.and", first=first, more=more)


def _known(product: Product, name: str) -> Holder:
    try:
        return product.store.holders.get(name)
    except NotFound:
        return Holder(id=name)


def _owned(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _holder(product: Product, owner: str | None) -> Holder | None:
    return _known(product, owner) if owner else None


def _missing(product: Product, holder: Holder | None, works: list[Work]) -> list[Lack]:
    found = [] if holder else [Lack("holder", message("holders.no_holder"))]
    found += lacks_now(product, holder) if holder else []
    found += [] if works else [Lack("works", message("holders.no_works"))]
    if not all(work.published_at or work.proof for work in works):
        found.append(Lack("published", message("holders.no_publication")))
    return found
