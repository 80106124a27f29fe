"""What a notice is about: which copies, works and holder stand in it, and what keeps it from being sent.

A notice is one letter about every confirmed copy of one holder's works on one site and its mirrors. What has to stand
in it: Regulation on the Protection of the Right of Communication through Information Networks (信息网络传播权保护条例),
article 14.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final

from services.context import Product
from services.holders.holders import known_holder, lacks_now
from store.messages import message
from store.records import Case, CaseStatus, Holder, Work
from store.rules.cases.deadlines import NOTICE_TERM
from store.rules.china_time import day_of
from store.rules.library.holder_papers import Lack
from store.rules.web.mirror_counting import same_site

MOST: Final = 200  # copies of one notice


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
    others = store.cases.find(hosts=hosts, status=CaseStatus.CONFIRMED, licensed=False, limit=MOST)
    works = store.works.many({one.work_id for one in [case, *others]})
    mine = works.get(case.work_id)
    owner = mine.owner if mine else None
    still_there = [one for one in others if one.present and one.id != case.id]
    of_holder = [one for one in still_there if owner and _owned(works.get(one.work_id), owner)]
    copies = sorted([case, *of_holder], key=lambda one: one.number)
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


def _owned(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _missing(product: Product, holder: Holder | None, works: list[Work]) -> list[Lack]:
    found = [] if holder else [Lack("holder", message("holders.no_holder"))]
    found += lacks_now(product, holder) if holder else []
    found += [] if works else [Lack("works", message("holders.no_works"))]
    if not all(work.published_at or work.proof for work in works):
        found.append(Lack("published", message("holders.no_publication")))
    return found
