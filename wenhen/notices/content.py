"""Determine the subject of a notice, render its text, and split copies into notices.

A new notice covers the copies that no other covers, and names the earlier notices that it repeats.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import StrictUndefined, Template
from jinja2.sandbox import SandboxedEnvironment

from wenhen.cases.model import Case, CaseConditions, CaseStatus
from wenhen.cases.notice_deadlines import deadline_after
from wenhen.cases.rules import INFRINGING_STATUSES, PURSUED_STATUSES, previous_statuses
from wenhen.context.use_cases import Product
from wenhen.holders.model import Holder, Lack, is_paper_valid
from wenhen.holders.service import find_holder, missing_requirements_today
from wenhen.kit.clock import CHINA, china_day
from wenhen.kit.errors import Message, message
from wenhen.kit.text import escape_invisible, percent
from wenhen.notices.model import CaseFigures, NamedCapture, Notice, NoticeLaw, Platform
from wenhen.notices.platforms import find_platform
from wenhen.sites.model import same_site_hosts
from wenhen.works.model import Work

# Statuses from which a case may move to NOTICE_SENT, so that no notice waits for an answer.
_WRITABLE_AGAIN: Final = previous_statuses(CaseStatus.NOTICE_SENT)


def open_copies(product: Product, copies: Sequence[Case], to: Platform) -> list[Case]:
    """Return the copies that a new notice to this receiver may cover, in the same order.

    Copies in a draft, waiting for an answer, or at a status without notices are left out.
    """
    letters = _letters_by_case(product, [copy.number for copy in copies], to)
    may = INFRINGING_STATUSES if to.delists else PURSUED_STATUSES
    return [
        copy
        for copy in copies
        if copy.status in may and not any(_still_stands(notice, copy, to) for notice in letters.get(copy.number, ()))
    ]


def numbers_in_drafts(product: Product, numbers: Collection[int]) -> dict[int, set[str]]:
    """Return by case number the ids of receivers with a notice that is a draft or was just sent."""
    waiting: dict[int, set[str]] = {}
    for notice in product.store.notices.of_cases(numbers):
        if _is_under_way(notice):
            for number in notice.case_numbers:
                waiting.setdefault(number, set()).add(notice.platform)
    return waiting


def why_closed(product: Product, case: Case, to: Platform) -> Message:
    """Return why a new notice to this receiver may not cover a case."""
    for notice in _letters_by_case(product, [case.number], to).get(case.number, ()):
        if notice.sent_at is None:
            return message("notices.in_draft", number=case.number, id=notice.id)
        if _still_stands(notice, case, to) and (to.delists or case.status in PURSUED_STATUSES):
            return message("notices.awaits_answer", number=case.number, id=notice.id)
    return message("notices.nothing_left", number=case.number)


def _letters_by_case(product: Product, numbers: Collection[int], to: Platform) -> dict[int, list[Notice]]:
    """Return the notices to a receiver by case number, newest first."""
    letters: dict[int, list[Notice]] = {}
    for notice in product.store.notices.of_cases(numbers):
        if notice.platform == to.id:
            for number in notice.case_numbers:
                letters.setdefault(number, []).append(notice)
    return letters


def _is_under_way(notice: Notice) -> bool:
    return notice.sent_at is None or notice.follows_since is not None


def _still_stands(notice: Notice, case: Case, to: Platform) -> bool:
    """Return whether a notice prevents another one about the same case."""
    if _is_under_way(notice):
        return True
    if to.delists:  # it changed no status, so it stands until the copy is confirmed again
        since = _time_sent(notice)
        return not any(move.status is CaseStatus.CONFIRMED and move.at > since for move in case.history)
    return case.status not in _WRITABLE_AGAIN


def _time_sent(notice: Notice) -> datetime:
    """Return the time of sending, but not before drafting. A person may enter only a day."""
    return max(notice.written_at, notice.sent_at or notice.written_at)


# References to earlier notices: number, day, capture, and removal of the copy.


def earlier_letters(product: Product, copies: Sequence[Case], to: Platform) -> dict[int, list[Notice]]:
    """Return the earlier notices to this receiver by case number, oldest first."""
    letters = _letters_by_case(product, [copy.number for copy in copies], to)
    sent = {
        number: [notice for notice in reversed(notices) if notice.sent_at is not None]
        for number, notices in letters.items()
    }
    wanted = {copy.number for copy in copies}
    return {number: notices for number, notices in sent.items() if notices and number in wanted}


def letter_numbers(earlier: Iterable[Sequence[Notice]]) -> tuple[str, ...]:
    """Return the distinct numbers of the notices, sorted."""
    return tuple(sorted({notice.id for letters in earlier for notice in letters}))


def captures_named(copies: Sequence[Case]) -> tuple[NamedCapture, ...]:
    """Return the captures that a notice names with the figures, for comparison in later notices and on the case."""
    return tuple(
        NamedCapture(
            case=copy.number,
            fetched_at=copy.capture.fetched_at,
            digest=copy.capture.body_digest,
            figures=case_figures(copy),
        )
        for copy in copies
    )


def case_figures(case: Case) -> CaseFigures:
    """Return the figures of a case as they are now."""
    return CaseFigures(
        work_version=case.match.work_version,
        share_of_work=case.match.share_of_work,
        share_of_page=case.match.share_of_page,
        passages=len(case.match.passages),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OutdatedFigures:
    """The figures of a case when a notice named its capture of `fetched_at`, and those of now, which are others."""

    notice: str  # number of the notice
    sent_at: datetime
    fetched_at: datetime
    then: CaseFigures
    now: CaseFigures


def find_outdated_figures(case: Case, notices: Iterable[Notice]) -> list[OutdatedFigures]:
    """Return the figures that sent notices rest on and that are others now, in the order of the notices.

    A new version of the work or the page changes the case, and never what was said in a notice.
    """
    now = case_figures(case)
    return [
        OutdatedFigures(
            notice=notice.id, sent_at=notice.sent_at, fetched_at=named.fetched_at, then=named.figures, now=now
        )
        for notice in notices
        for named in notice.named
        if named.case == case.number
        and notice.sent_at is not None
        and named.figures is not None
        and _figures_as_shown(named.figures) != _figures_as_shown(now)
    ]


def _figures_as_shown(figures: CaseFigures) -> tuple[int, str, str, int]:
    return figures.work_version, percent(figures.share_of_work), percent(figures.share_of_page), figures.passages


def earlier_values(product: Product, case: Case, letters: Sequence[Notice]) -> list[dict[str, Any]]:
    """Return the template values for each earlier notice about a case.

    A removal is named if the page was captured after it, because that capture proves that the copy is back.
    """
    values = []
    for notice in letters:
        capture = _capture_of(product, case, notice)
        removed = next(
            (
                move.at
                for move in case.history
                if move.status is CaseStatus.REMOVED and notice.written_at <= move.at < case.capture.fetched_at
            ),
            None,
        )
        values.append(
            {
                "number": notice.id,
                "sent": china_day(notice.sent_at).isoformat() if notice.sent_at else None,
                "fetched": _moment(capture.fetched_at) if capture else None,
                "digest": capture.digest if capture else None,
                "removed": china_day(removed).isoformat() if removed else None,
            }
        )
    return values


def _capture_of(product: Product, case: Case, notice: Notice) -> NamedCapture | None:
    """Return the capture that a notice named, or for old notices the last one before drafting."""
    kept = next((named for named in notice.named if named.case == case.number), None)
    if kept is not None:
        return kept
    captures = product.store.pages.captures(case.page_id)
    capture = next((taken for taken in captures if taken.fetched_at <= notice.written_at), None)
    if capture is None:
        return None
    return NamedCapture(case=case.number, fetched_at=capture.fetched_at, digest=capture.body_digest)


def _moment(moment: datetime) -> str:
    return moment.astimezone(CHINA).strftime("%Y-%m-%d %H:%M:%S")


# The subject of a notice: copies, works, holder, and missing requirements. A notice is one letter about all confirmed
# copies of one holder's works on one site and its mirrors. Required contents: Regulation on the Protection of the Right
# of Communication through Information Networks (信息网络传播权保护条例), article 14.


MAX_SUBJECT_COPIES: Final = 2_000  # copies per call, as many as per decision
_SUBJECT_BATCH_SIZE: Final = 500
_PUBLISHED: Final = "published"


@dataclass(frozen=True, slots=True)
class NoticeSubject:
    """The subject of notices to a receiver.

    missing: requirements that prevent sending, and works without proof of publication.
    closed: why the requested case is not included.
    earlier: earlier notices about the same copies, by case number.
    """

    case: Case
    to: Platform
    hosts: tuple[str, ...]  # the site of the case and its mirrors
    holder: Holder | None
    works: list[Work]
    copies: list[Case]
    deadline: date  # day in China
    missing: list[Lack]
    closed: Message | None
    earlier: Mapping[int, Sequence[Notice]]

    @property
    def previous(self) -> tuple[str, ...]:
        """Return the numbers of the earlier notices."""
        return letter_numbers(self.earlier.values())

    @property
    def sendable(self) -> bool:
        """Return whether it can be sent. A missing proof of publication does not prevent this."""
        return bool(self.copies) and all(lack.what == _PUBLISHED for lack in self.missing)

    @property
    def to_send(self) -> list[int]:
        """Return the case numbers of the copies whose status the notice changes."""
        return [copy.number for copy in self.copies if copy.status is CaseStatus.CONFIRMED]


def make_notice_subject(product: Product, case: Case, to: Platform | None = None) -> NoticeSubject:
    """Determine the subject of notices about a case to a receiver, by default the operator of its site.

    Other copies are included if they are confirmed, present and unlicensed. Copies covered by another notice to this
    receiver are left out.
    """
    store, to = product.store, to or find_platform(product, case.page_host)
    hosts = same_site_hosts(case.page_host, store.mirrors.mains())
    works = store.works.many([case.work_id])
    owner = works[case.work_id].owner if case.work_id in works else None
    others = _holder_copies(product, hosts, owner, works) if owner else []
    copies_to_name = open_copies(product, [case, *(other for other in others if other.id != case.id)], to)
    copies = sorted(copies_to_name[:MAX_SUBJECT_COPIES], key=lambda copy: copy.number)
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
        deadline=china_day(deadline_after(product.now(), to.days)),
        missing=_missing_requirements(product, holder, list(concerned.values())),
        closed=None if case in copies else why_closed(product, case, to),
        earlier=earlier_letters(product, copies, to),
    )


def _holder_copies(product: Product, hosts: Sequence[str], owner: str, works: dict[str, Work]) -> list[Case]:
    """Return the confirmed copies of a holder's works on these hosts, and add their works to `works`."""
    store, cases = product.store, list[Case]()
    conditions: CaseConditions = {"hosts": hosts, "status": CaseStatus.CONFIRMED, "licensed": False, "present": True}
    while len(cases) < MAX_SUBJECT_COPIES and (batch := store.cases.find(**conditions, limit=_SUBJECT_BATCH_SIZE)):
        works.update(store.works.many({case.work_id for case in batch} - set(works)))
        cases += [case for case in batch if _is_owned_by(works.get(case.work_id), owner)]
        conditions["below"] = batch[-1].number
    return cases


def _is_owned_by(work: Work | None, owner: str) -> bool:
    return work is not None and work.owner == owner


def _missing_requirements(product: Product, holder: Holder | None, works: list[Work]) -> list[Lack]:
    lacks = [] if holder else [Lack("holder", message("holders.no_holder"))]
    lacks += missing_requirements_today(product, holder) if holder else []
    lacks += [] if works else [Lack("works", message("holders.no_works"))]
    if not all(work.published_at or work.proof for work in works):
        lacks.append(Lack(_PUBLISHED, message("holders.no_publication")))
    return lacks


def render_notice(law: NoticeLaw, values: Mapping[str, Any]) -> str:
    """Return the proposed text of a notice.

    values: result of `notice_values`.
    """
    return _notice_template(law).render(values).strip() + "\n"


def notice_values(
    product: Product, subject: NoticeSubject, copies: Sequence[Case], to: str, number: str
) -> dict[str, Any]:
    """Return the template values for a notice about these copies, each on one line."""
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
    """Return text on one line with invisible characters escaped, so that titles cannot add or reverse lines."""
    return escape_invisible(" ".join((words or "").split()))


MAX_COPIES_PER_NOTICE: Final = 200  # copies per notice


def split_copies(subject: NoticeSubject) -> list[list[Case]]:
    """Split the copies into notices, limited by the links per notice of the receiver and by `MAX_COPIES_PER_NOTICE`."""
    most = min(subject.to.links or MAX_COPIES_PER_NOTICE, MAX_COPIES_PER_NOTICE)
    return [subject.copies[offset : offset + most] for offset in range(0, len(subject.copies), most)]
