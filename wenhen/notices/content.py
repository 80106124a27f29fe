"""Determine what a notice is about, word it, and batch copies into notices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment

from wenhen.cases.model import Case, CaseConditions, CaseStatus
from wenhen.holders.model import Holder, Lack, is_paper_valid
from wenhen.holders.service import find_holder, missing_requirements_today
from wenhen.kit.clock import CHINA, china_day
from wenhen.kit.errors import Message, message
from wenhen.kit.text import escape_invisible, percent
from wenhen.notices.model import Notice, NoticeLaw, Platform
from wenhen.notices.platforms import find_platform
from wenhen.notices.repeats import earlier_letters, earlier_values, letter_numbers, open_copies, why_closed
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
_PUBLISHED: Final = "published"


@dataclass(frozen=True, slots=True)
class NoticeSubject:
    """What a notice to a receiver is about. missing: what keeps it from being sent, and works whose publication nobody
    shows. closed: why it is not about the case that was asked for; earlier: letters about the same copies, by number.
    """

    case: Case
    to: Platform
    hosts: tuple[str, ...]  # the site of the case, with its mirrors
    holder: Holder | None
    works: list[Work]
    copies: list[Case]
    deadline: date  # in China
    missing: list[Lack]
    closed: Message | None
    earlier: Mapping[int, Sequence[Notice]]

    @property
    def previous(self) -> tuple[str, ...]:
        """The numbers of the earlier letters."""
        return letter_numbers(self.earlier.values())

    @property
    def sendable(self) -> bool:
        """Whether nothing keeps it from being sent. That nobody shows when a work was published does not."""
        return bool(self.copies) and all(lack.what == _PUBLISHED for lack in self.missing)

    @property
    def to_send(self) -> list[int]:
        """The numbers of the copies whose case it moves."""
        return [copy.number for copy in self.copies if copy.status is CaseStatus.CONFIRMED]


def make_notice_subject(product: Product, case: Case, to: Platform | None = None) -> NoticeSubject:
    """The notice about a case to a receiver, by default to whoever runs its site.

    Other copies come into it when they are confirmed, still there, and under no licence. None comes into it that
    another letter to this receiver stands for.
    """
    store, to = product.store, to or find_platform(product, case.page_host)
    hosts = same_site_hosts(case.page_host, store.mirrors.mains())
    works = store.works.many([case.work_id])
    owner = works[case.work_id].owner if case.work_id in works else None
    others = _holder_copies(product, hosts, owner, works) if owner else []
    found = open_copies(product, [case, *(other for other in others if other.id != case.id)], to)
    copies = sorted(found[:MAX_SUBJECT_COPIES], key=lambda one: one.number)
    named = {copy.work_id for copy in copies or [case]}
    concerned = {id: works[id] for id in sorted(named & set(works))}
    holder = find_holder(product, owner) if owner else None
    return NoticeSubject(
        case=case,
        to=to,
        hosts=hosts,
        holder=holder,
        works=list(concerned.values()),
        copies=copies,
        deadline=china_day(product.now() + timedelta(days=to.days)),
        missing=_missing_requirements(product, holder, list(concerned.values())),
        closed=None if case in copies else why_closed(product, case, to),
        earlier=earlier_letters(product, copies, to),
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
        found.append(Lack(_PUBLISHED, message("holders.no_publication")))
    return found


def render_notice(law: NoticeLaw, values: Mapping[str, Any]) -> str:
    """The text of a notice, as it is first proposed. values: those of `notice_values`."""
    return _notice_template(law).render(values).strip() + "\n"


def notice_values(
    product: Product, subject: NoticeSubject, copies: Sequence[Case], to: str, number: str
) -> dict[str, Any]:
    """What a notice about these copies says, ready to be written: each value one line."""
    assert subject.holder is not None
    today = china_day(product.now())
    named = {copy.work_id for copy in copies}
    earlier = {copy.number: subject.earlier.get(copy.number, ()) for copy in copies}
    return {
        "number": number,
        "to": _one_line(to),
        "days": subject.to.days,
        "holder": subject.holder,
        "works": [_work_values(work) for work in subject.works if work.id in named],
        "copies": [
            _copy_values(copy) | {"earlier": earlier_values(product, copy, earlier[copy.number])} for copy in copies
        ],
        "previous": letter_numbers(earlier.values()),
        "time": 1 + max((len(letters) for letters in earlier.values()), default=0),
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


def split_copies(subject: NoticeSubject) -> list[list[Case]]:
    """The copies of each notice: as many as its receiver takes links, and as one letter bears; none where nothing is
    left to write about.
    """
    most = min(subject.to.links or MAX_COPIES_PER_NOTICE, MAX_COPIES_PER_NOTICE)
    return [subject.copies[at : at + most] for at in range(0, len(subject.copies), most)]
