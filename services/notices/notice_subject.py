"""What a notice is about: which copies, works and holder stand in it, and what keeps it from being sent.

A notice is one letter about every confirmed copy of one holder's works on one site and its mirrors. What has to stand
in it: Regulation on the Protection of the Right of Communication through Information Networks (信息网络传播权保护条例),
article 14.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.context import Product
from services.holders.holders import known_holder, lacks_now
from store.messages import message
from store.records import Case, CaseConditions, CaseStatus, Holder, Work
from store.rules.cases.deadlines import NOTICE_TERM
from store.rules.china_time import day_of
from store.rules.library.holder_papers import Lack
from store.rules.web.mirror_counting import same_site

MOST: Final = 2_000  # copies that are written about at once, as many as are decided at once
_BATCH: Final = 500


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


def notice_about(product: Product, case: Case) -> NoticeSubject:
    """The notice about a case. Other copies come into it when they are confirmed, still there, and under no licence."""
    store = product.store
    hosts = same_site(case.page_host, store.mirrors.mains())
    works = store.works.many([case.work_id])
    owner = works[case.work_id].owner if case.work_id in works else None
    others = _of_holder(product, hosts, owner, works) if owner else []
    copies = sorted([case, *(one for one in others if one.id != case.id)][:MOST], key=lambda one: one.number)
    concerned = {one.work_id: works[one.work_id] for one in copies if one.work_id in works}
    holder = known_holder(product, owner) if owner else None
    return NoticeSubject(
        case=case,
        hosts=hosts,
        holder=holder,
        works=list(concerned.values()),
        copies=copies,
        deadline=day_of(case.deadline or product.now() + NOTICE_TERM),
        missing=_missing(product, holder, list(concerned.values())),
    )


def _of_holder(product: Product, hosts: Sequence[str], owner: str, works: dict[str, Work]) -> list[Case]:
    """The confirmed copies of a holder's works that stand on these hosts; their works are added to `works`."""
    store, found = product.store, list[Case]()
    asked: CaseConditions = {"hosts": hosts, "status": CaseStatus.CONFIRMED, "licensed": False, "present": True}
    while len(found) < MOST and (some := store.cases.find(**asked, limit=_BATCH)):
        works.update(store.works.many({one.work_id for one in some} - set(works)))
        found += [one for one in some if _owned(works.get(one.work_id), owner)]
        asked["below"] = some[-1].number
    return found


def _owned(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _missing(product: Product, holder: Holder | None, works: list[Work]) -> list[Lack]:
    found = [] if holder else [Lack("holder", message("holders.no_holder"))]
    found += lacks_now(product, holder) if holder else []
    found += [] if works else [Lack("works", message("holders.no_works"))]
    if not all(work.published_at or work.proof for work in works):
        found.append(Lack("published", message("holders.no_publication")))
    return found
