"""Determine what a notice is about, word it, and batch copies into notices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment

from wenhen.cases.model import Case, CaseConditions, CaseStatus
from wenhen.cases.notice_requirements import NOTICE_TERM
from wenhen.holders.model import Holder, Lack, is_paper_valid
from wenhen.holders.service import find_holder, missing_requirements_today
from wenhen.kit.clock import CHINA, china_day
from wenhen.kit.errors import message
from wenhen.kit.text import escape_invisible, percent
from wenhen.notices.model import NoticeLaw, Platform
from wenhen.product.context import Product
from wenhen.sites.model import same_site_hosts
from wenhen.works.model import Work

# What a notice is about: which copies, works and holder stand in it, and what keeps it from being sent.
#
# A notice is one letter about every confirmed copy of one holder's works on one site and its mirrors. What has to stand
# in it: Regulation on the Protection of the Right of Communication through Information Networks
# (信息网络传播权保护条例), article 14.


MAX_SUBJECT_COPIES: Final = 2_000  # copies that are written about at once, as many as are decided at once
_SUBJECT_BATCH_SIZE: Final = 500


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
        return [copy.number for copy in self.copies if copy.status is CaseStatus.CONFIRMED]


def make_notice_subject(product: Product, case: Case) -> NoticeSubject:
    """The notice about a case. Other copies come into it when they are confirmed, still there, and under no licence."""
    store = product.store
    hosts = same_site_hosts(case.page_host, store.mirrors.mains())
    works = store.works.many([case.work_id])
    owner = works[case.work_id].owner if case.work_id in works else None
    others = _holder_copies(product, hosts, owner, works) if owner else []
    copies = sorted(
        [case, *(other for other in others if other.id != case.id)][:MAX_SUBJECT_COPIES], key=lambda one: one.number
    )
    concerned = {copy.work_id: works[copy.work_id] for copy in copies if copy.work_id in works}
    holder = find_holder(product, owner) if owner else None
    return NoticeSubject(
        case=case,
        hosts=hosts,
        holder=holder,
        works=list(concerned.values()),
        copies=copies,
        deadline=china_day(case.deadline or product.now() + NOTICE_TERM),
        missing=_missing_requirements(product, holder, list(concerned.values())),
    )


def _holder_copies(product: Product, hosts: Sequence[str], owner: str, works: dict[str, Work]) -> list[Case]:
    """The confirmed copies of a holder's works that stand on these hosts; their works are added to `works`."""
    store, found = product.store, list[Case]()
    asked: CaseConditions = {"hosts": hosts, "status": CaseStatus.CONFIRMED, "licensed": False, "present": True}
    while len(found) < MAX_SUBJECT_COPIES and (some := store.cases.find(**asked, limit=_SUBJECT_BATCH_SIZE)):
        works.update(store.works.many({one.work_id for one in some} - set(works)))
        found += [one for one in some if _is_owned_by(works.get(one.work_id), owner)]
        asked["below"] = some[-1].number
    return found


def _is_owned_by(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _missing_requirements(product: Product, holder: Holder | None, works: list[Work]) -> list[Lack]:
    found = [] if holder else [Lack("holder", message("holders.no_holder"))]
    found += missing_requirements_today(product, holder) if holder else []
    found += [] if works else [Lack("works", message("holders.no_works"))]
    if not all(work.published_at or work.proof for work in works):
        found.append(Lack("published", message("holders.no_publication")))
    return found


def render_notice(law: NoticeLaw, values: Mapping[str, Any]) -> str:
    """The text of a notice, as it is first proposed. values: those of `notice_values`."""
    return _notice_template(law).render(values).strip() + "\n"


def notice_values(
    product: Product, subject: NoticeSubject, copies: Sequence[Case], platform: Platform, to: str, number: str
) -> dict[str, Any]:
    """What a notice about these copies says, ready to be written: each value one line."""
    assert subject.holder is not None
    today = china_day(product.now())
    named = {copy.work_id for copy in copies}
    return {
        "number": number,
        "to": _one_line(to),
        "days": platform.days,
        "holder": subject.holder,
        "works": [_work_values(work) for work in subject.works if work.id in named],
        "copies": [_copy_values(copy) for copy in copies],
        "papers": _valid_documents(subject.holder, product),
        "today": today.isoformat(),
    }


@cache
def _notice_template(law: NoticeLaw) -> Template:
    text = (resources.files(__package__) / "texts" / f"{law}.txt").read_text(encoding="utf-8")
    environment = SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, autoescape=False
    )
    return environment.from_string(text)


def _work_values(work: Work) -> dict[str, str | None]:
    return {
        "title": _one_line(work.title),
        "author": _one_line(work.author),
        "published": china_day(work.published_at).isoformat() if work.published_at else None,
        "proof": _one_line(work.proof),
        "url": _one_line(work.url),
    }


def _copy_values(case: Case) -> dict[str, str | int]:
    return {
        "number": case.number,
        "url": _one_line(case.page_url),
        "title": _one_line(case.page_title or ""),
        "work": _one_line(case.work_title),
        "share": percent(case.match.share_of_work),
        "fetched": case.capture.fetched_at.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S"),
        "digest": case.capture.body_digest,
    }


def _valid_documents(holder: Holder, product: Product) -> list[str]:
    today = china_day(product.now())
    return [_one_line(paper.title) for paper in holder.papers if is_paper_valid(paper, today)]


def _one_line(words: str | None) -> str:
    """On one line and in signs, so that a foreign title adds no line to a letter and turns none of it round."""
    return escape_invisible(" ".join((words or "").split()))


MAX_COPIES_PER_NOTICE: Final = 200  # copies of one notice


def split_copies(product: Product, subject: NoticeSubject, to: Platform) -> list[list[Case]]:
    """The copies of each notice to this receiver: as many as it takes links, and as one letter bears; none where
    nothing is left to write about.
    """
    copies = _unnoticed_copies(product, subject, to)
    most = min(to.links or MAX_COPIES_PER_NOTICE, MAX_COPIES_PER_NOTICE)
    return [copies[at : at + most] for at in range(0, len(copies), most)]


def _unnoticed_copies(product: Product, subject: NoticeSubject, to: Platform) -> list[Case]:
    """The copies that no notice to this receiver names."""
    there = {
        number
        for case in product.store.notices.of_cases([copy.number for copy in subject.copies])
        if case.platform == to.id
        for number in case.case_numbers
    }
    return [one for one in subject.copies if one.number not in there and one.status is not CaseStatus.LEAD]
