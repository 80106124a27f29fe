"""List due notices and every task with its deadline, and report whether the mailbox is read."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

from wenhen.cases.model import Case, CaseKey, CaseOrder, CaseStatus
from wenhen.cases.notice_requirements import CLOCKED_STATUSES
from wenhen.kit.errors import Message
from wenhen.notices.model import AnswerKind, Notice
from wenhen.notices.platforms import all_platforms, find_platform
from wenhen.notices.repeats import numbers_in_drafts, open_copies
from wenhen.product.context import Product

_MAX_SEARCHED_CASES: Final = 1_000  # confirmed cases, the newest
_MAX_AWAITED_CASES: Final = 50


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A notice that is still to be sent."""

    host: str
    holder: str | None
    copies: int
    case: int  # the number of the newest, on whose screen the notice is


def find_due_notices(product: Product) -> list[DueNotice]:
    """The notices about what is confirmed, still there and under no licence; those about the most copies first."""
    store = product.store
    found = store.cases.keys(status=CaseStatus.CONFIRMED, licensed=False, present=True, limit=_MAX_SEARCHED_CASES)
    found = _not_under_way(product, found)
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


def _not_under_way(product: Product, found: Sequence[CaseKey]) -> list[CaseKey]:
    """Those that a letter to whoever runs their site may be about now: the same that a draft takes."""
    known = all_platforms(product)
    to = {host: find_platform(product, host, known) for host in {one["page_host"] for one in found}}
    waiting = numbers_in_drafts(product, [one["number"] for one in found])
    open = [one for one in found if to[one["page_host"]].id not in waiting.get(one["number"], ())]
    engines = [one["number"] for one in open if to[one["page_host"]].delists]  # a letter to one moves no case
    held = {
        number
        for number, case in product.store.cases.many(engines, passages=1).items()
        if not open_copies(product, [case], to[case.page_host])
    }
    return [one for one in open if one["number"] not in held]


def find_awaited_cases(product: Product) -> list[Case]:
    """The cases whose notice was sent, those whose deadline comes first."""
    return product.store.cases.find(status=CaseStatus.NOTICE_SENT, order=CaseOrder.DEADLINE, limit=_MAX_AWAITED_CASES)


# Who has to do what by when, in one list: deadlines, letters, what came back or went away, papers that end.


SOON_PERIOD: Final = timedelta(days=30)  # in which a paper ends that is listed
_MAX_TASKS: Final = 100  # of one kind
_FINAL_ANSWERS: Final = (AnswerKind.REMOVED, AnswerKind.REFUSED)  # what a search engine says in the end


class ToDo(StrEnum):
    """What has to be done."""

    ANSWER_DUE = "answer_due"  # a notice's deadline: look what became of it
    COUNTER_DUE = "counter_due"  # complain or sue before the clock of a counter-notice ends
    WRITE = "write"  # a notice about what is confirmed
    SEND = "send"  # a notice that was written
    SEND_AGAIN = "send_again"  # a notice whose mail came back
    READ = "read"  # an answer that came by mail
    ASSIGN = "assign"  # a mail of which nobody knows to which notice it belongs
    DELIST_DUE = "delist_due"  # a search engine's term ends; no answer is kept, and it still leads to a page
    REMOVED = "removed"  # the copy is gone: confirm it
    RETURNED = "returned"  # the copy is back: pursue it again
    PAPER = "paper"  # a paper of a holder ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to do. by: until when, None: as soon as may be. case: a number; notice, mail: an id;
    holder: a name.
    """

    what: ToDo
    by: datetime | None = None
    who: str | None = None
    about: str
    case: int | None = None
    notice: str | None = None
    holder: str | None = None
    mail: str | None = None


def list_tasks(product: Product) -> list[Task]:
    """What is to be done: what is due first, then what has no day, in the order of `ToDo`."""
    found = [
        *_deadline_tasks(product),
        *_notice_tasks(product),
        *_mail_tasks(product),
        *_page_tasks(product),
        *_document_tasks(product),
    ]
    order = list(ToDo)
    never = product.now() + timedelta(days=36_500)
    return sorted(found, key=lambda one: (one.by or never, order.index(one.what), one.about))


def _deadline_tasks(product: Product) -> Iterable[Task]:
    for status in CLOCKED_STATUSES:
        what = ToDo.COUNTER_DUE if status is CaseStatus.COUNTERED else ToDo.ANSWER_DUE
        for case in product.store.cases.find(status=status, order=CaseOrder.DEADLINE, limit=_MAX_TASKS):
            yield _case_task(what, case, case.deadline)


def _notice_tasks(product: Product) -> Iterable[Task]:
    for due in find_due_notices(product)[:_MAX_TASKS]:
        yield Task(what=ToDo.WRITE, about=f"{due.host} · {due.holder or '—'} · {due.copies}", case=due.case)
    for one in product.store.notices.recent(sent=False, limit=_MAX_TASKS):
        yield Task(what=ToDo.SEND, who=one.written_by, about=f"{one.to} · {one.holder}", notice=one.id)
    engines = {platform.id for platform in all_platforms(product) if platform.delists}
    going = (one for one in product.store.notices.sent_to(engines) if not _is_ended(one))
    for one in islice(going, _MAX_TASKS):
        about = f"{one.to} · {one.holder}"
        yield Task(what=ToDo.DELIST_DUE, by=one.deadline, who=one.written_by, about=about, notice=one.id)


def _is_ended(notice: Notice) -> bool:
    return notice.delisted or any(answer.kind in _FINAL_ANSWERS for answer in notice.answers)


def _mail_tasks(product: Product) -> Iterable[Task]:
    for one in product.store.notices.undelivered(_MAX_TASKS):
        if one.undelivered:
            yield _notice_task(ToDo.SEND_AGAIN, one)
    for one in product.store.notices.unread(_MAX_TASKS):
        yield _notice_task(ToDo.READ, one)
    for mail in product.store.replies.waiting(_MAX_TASKS):
        yield Task(what=ToDo.ASSIGN, about=" · ".join(filter(None, (mail.sender, mail.subject))), mail=mail.id)


def _notice_task(what: ToDo, notice: Notice) -> Task:
    return Task(what=what, who=notice.sendings[-1].by, about=f"{notice.to} · {notice.holder}", notice=notice.id)


def _page_tasks(product: Product) -> Iterable[Task]:
    for case in product.store.cases.find(removal=True, limit=_MAX_TASKS):
        yield _case_task(ToDo.REMOVED, case, None)
    for case in product.store.cases.find(returned=True, limit=_MAX_TASKS):
        yield _case_task(ToDo.RETURNED, case, None)


def _document_tasks(product: Product) -> Iterable[Task]:
    until = product.now() + SOON_PERIOD
    for holder in product.store.holders.all():
        for paper in holder.papers:
            if paper.valid_until is not None and paper.valid_until < until:
                about = f"{holder.id} · {paper.title}"
                yield Task(what=ToDo.PAPER, by=paper.valid_until, about=about, holder=holder.id)


def _case_task(what: ToDo, case: Case, by: datetime | None) -> Task:
    about = f"{case.work_title} · {case.page_host}"
    return Task(what=what, by=by, who=case.assignee or case.decided_by, about=about, case=case.number)


# Whether the mailbox of notices is read: when it last was, and since when and why it cannot be.


_MAILBOX_MARK: Final = "mailbox"


class MailboxStanding(NamedTuple):
    """read_at: None where it never was. failing_since, reason: None where the last try did not fail."""

    read_at: datetime | None
    failing_since: datetime | None
    reason: Message | None


def note_mailbox_read(product: Product) -> None:
    """Note that it was read now."""
    product.store.marks.set(_MAILBOX_MARK, {"read_at": product.now()})


def note_mailbox_failed(product: Product, reason: Message) -> None:
    """Note that it could not be."""
    mark = _mailbox_mark(product)
    since = mark.get("since") or product.now()
    product.store.marks.set(_MAILBOX_MARK, {"read_at": mark.get("read_at"), "since": since, "reason": reason})


def mailbox_standing(product: Product) -> MailboxStanding:
    """How it stands."""
    mark = _mailbox_mark(product)
    reason = mark.get("reason")
    return MailboxStanding(mark.get("read_at"), mark.get("since"), Message.read(reason) if reason else None)


def _mailbox_mark(product: Product) -> dict[str, Any]:
    return dict(product.store.marks.get(_MAILBOX_MARK) or {})
