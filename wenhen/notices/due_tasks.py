"""List due notices and all tasks with deadlines, and report the state of the mailbox."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

from crawler.addresses import readable_host
from wenhen.cases.model import Case, CaseKey, CaseOrder, CaseStatus
from wenhen.cases.notice_deadlines import CLOCKED_STATUSES
from wenhen.context.use_cases import Product
from wenhen.kit.errors import Message
from wenhen.notices.content import numbers_in_drafts, open_copies
from wenhen.notices.model import AnswerKind, Notice
from wenhen.notices.platforms import all_platforms, find_platform

_MAX_SEARCHED_CASES: Final = 1_000  # newest confirmed cases
_MAX_AWAITED_CASES: Final = 50


@dataclass(frozen=True, slots=True)
class DueNotice:
    """A notice that should be drafted and sent."""

    host: str
    holder: str | None
    copies: int
    case: int  # number of the newest case, which shows the notice


def find_due_notices(product: Product) -> list[DueNotice]:
    """Return the notices to draft about confirmed, present and unlicensed copies, most copies first."""
    store = product.store
    keys = store.cases.keys(status=CaseStatus.CONFIRMED, licensed=False, present=True, limit=_MAX_SEARCHED_CASES)
    keys = _not_under_way(product, keys)
    works = store.works.many({key["work_id"] for key in keys})
    mains = store.mirrors.mains()
    groups: defaultdict[tuple[str, str | int], list[CaseKey]] = defaultdict(list)
    for key in keys:
        work = works.get(key["work_id"])
        # Copies share a notice only if their works have the same known holder.
        groups[mains.get(key["page_host"], key["page_host"]), (work and work.owner) or key["number"]].append(key)
    due = [
        DueNotice(host, holder if isinstance(holder, str) else None, len(keys), keys[0]["number"])
        for (host, holder), keys in groups.items()
    ]
    return sorted(due, key=lambda notice: (-notice.copies, notice.host))


def _not_under_way(product: Product, keys: Sequence[CaseKey]) -> list[CaseKey]:
    """Return the cases that a notice to their site may cover now, by the same rule as drafting."""
    known = all_platforms(product)
    to = {host: find_platform(product, host, known) for host in {key["page_host"] for key in keys}}
    waiting = numbers_in_drafts(product, [key["number"] for key in keys])
    open = [key for key in keys if to[key["page_host"]].id not in waiting.get(key["number"], ())]
    # a notice to a search engine changes no case status
    engines = [key["number"] for key in open if to[key["page_host"]].delists]
    held = {
        number
        for number, case in product.store.cases.many(engines, passages=1).items()
        if not open_copies(product, [case], to[case.page_host])
    }
    return [key for key in open if key["number"] not in held]


def find_awaited_cases(product: Product) -> list[Case]:
    """Return the cases with a sent notice, earliest deadline first."""
    return product.store.cases.find(status=CaseStatus.NOTICE_SENT, order=CaseOrder.DEADLINE, limit=_MAX_AWAITED_CASES)


# The task list: deadlines, notices, answers, removals and returns, expiring documents.


SOON_PERIOD: Final = timedelta(days=30)  # documents that expire within it are listed
_MAX_TASKS: Final = 100  # per kind of task
_FINAL_ANSWERS: Final = (AnswerKind.REMOVED, AnswerKind.REFUSED)  # answers that close a notice to a search engine


class ToDo(StrEnum):
    """A kind of task."""

    ANSWER_DUE = "answer_due"  # deadline of a notice: check the result
    COUNTER_DUE = "counter_due"  # complain or sue before the counter-notice deadline ends
    WRITE = "write"  # draft a notice about confirmed copies
    SEND = "send"  # send a drafted notice
    SEND_AGAIN = "send_again"  # send a bounced notice again
    READ = "read"  # classify an answer by mail
    ASSIGN = "assign"  # assign a mail to its notice
    DELIST_DUE = "delist_due"  # deadline of a search engine without an answer, while it still lists a page
    REMOVED = "removed"  # confirm the removal of a copy
    RETURNED = "returned"  # pursue a returned copy again
    PAPER = "paper"  # a document of a holder expires


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task.

    by: deadline, None for as soon as possible.
    case: case number. notice, mail: ids. holder: name. host: of a task about one case.
    """

    what: ToDo
    by: datetime | None = None
    who: str | None = None
    about: str
    case: int | None = None
    notice: str | None = None
    holder: str | None = None
    mail: str | None = None
    host: str | None = None


_UNDATED_PERIOD: Final = timedelta(days=2)  # a task without deadline stands before deadlines after this period


def list_tasks(product: Product, *, holder: str | None = None) -> list[Task]:
    """Return all tasks, earliest deadline first. Those without one are as urgent as what ends in two days.

    holder: return only the tasks for this rights holder.
    """
    tasks = [
        *_deadline_tasks(product),
        *_notice_tasks(product),
        *_mail_tasks(product),
        *_page_tasks(product),
        *_document_tasks(product),
    ]
    tasks = _with_holders(product, tasks)
    if holder is not None:
        tasks = [task for task in tasks if task.holder == holder]
    order = list(ToDo)
    soon = product.now() + _UNDATED_PERIOD
    return sorted(tasks, key=lambda task: (task.by or soon, order.index(task.what), task.about))


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """Tasks of one kind about cases of one site and holder, the most urgent first, or one other task."""

    tasks: tuple[Task, ...]

    @property
    def first(self) -> Task:
        """Return the most urgent task."""
        return self.tasks[0]


def group_tasks(tasks: Iterable[Task]) -> list[TaskGroup]:
    """Group tasks about cases by kind, site and holder, in the order of their first."""
    groups: dict[tuple[object, ...], list[Task]] = {}
    for task in tasks:
        key = (task.what, task.host, task.holder) if task.host else (task.what, task.about, task.notice, task.mail)
        groups.setdefault(key, []).append(task)
    return [TaskGroup(tuple(group)) for group in groups.values()]


def _with_holders(product: Product, tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks, those about a case with the holder of its work."""
    cases = product.store.cases.many({task.case for task in tasks if task.case and not task.holder})
    works = product.store.works.many({case.work_id for case in cases.values()})
    owners = {number: works[case.work_id].owner for number, case in cases.items() if case.work_id in works}
    return [replace(task, holder=task.holder or owners.get(task.case)) if task.case else task for task in tasks]


def _deadline_tasks(product: Product) -> Iterable[Task]:
    for status in CLOCKED_STATUSES:
        what = ToDo.COUNTER_DUE if status is CaseStatus.COUNTERED else ToDo.ANSWER_DUE
        for case in product.store.cases.find(status=status, order=CaseOrder.DEADLINE, limit=_MAX_TASKS):
            yield _case_task(what, case, case.deadline)


def _notice_tasks(product: Product) -> Iterable[Task]:
    for due in find_due_notices(product)[:_MAX_TASKS]:
        yield Task(
            what=ToDo.WRITE,
            about=f"{readable_host(due.host)} · {due.holder or '—'} · {due.copies}",
            case=due.case,
            holder=due.holder,
        )
    for notice in product.store.notices.recent(sent=False, limit=_MAX_TASKS):
        yield Task(
            what=ToDo.SEND,
            who=notice.written_by,
            about=f"{notice.to} · {notice.holder}",
            notice=notice.id,
            holder=notice.holder,
        )
    engines = {platform.id for platform in all_platforms(product) if platform.delists}
    going = (notice for notice in product.store.notices.sent_to(engines) if not _is_ended(notice))
    for notice in islice(going, _MAX_TASKS):
        about = f"{notice.to} · {notice.holder}"
        yield Task(
            what=ToDo.DELIST_DUE,
            by=notice.deadline,
            who=notice.written_by,
            about=about,
            notice=notice.id,
            holder=notice.holder,
        )


def _is_ended(notice: Notice) -> bool:
    return notice.is_delisted or any(answer.kind in _FINAL_ANSWERS for answer in notice.answers)


def _mail_tasks(product: Product) -> Iterable[Task]:
    for notice in product.store.notices.find_undelivered(_MAX_TASKS):
        if notice.is_undelivered:
            yield _notice_task(ToDo.SEND_AGAIN, notice)
    for notice in product.store.notices.find_unread(_MAX_TASKS):
        yield _notice_task(ToDo.READ, notice)
    for mail in product.store.replies.find_waiting(_MAX_TASKS):
        yield Task(what=ToDo.ASSIGN, about=" · ".join(filter(None, (mail.sender, mail.subject))), mail=mail.id)


def _notice_task(what: ToDo, notice: Notice) -> Task:
    about = f"{notice.to} · {notice.holder}"
    return Task(what=what, who=notice.sendings[-1].by, about=about, notice=notice.id, holder=notice.holder)


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
    about = f"{case.work_title} · {readable_host(case.page_host)}"
    return Task(
        what=what, by=by, who=case.assignee or case.decided_by, about=about, case=case.number, host=case.page_host
    )


# State of the mailbox: the last successful fetch, and since when and why fetches fail.


_MAILBOX_MARK: Final = "mailbox"


class MailboxStanding(NamedTuple):
    """The state of the mailbox.

    read_at: None if it was never read.
    failing_since, reason: None if the last fetch succeeded.
    """

    read_at: datetime | None
    failing_since: datetime | None
    reason: Message | None


def note_mailbox_read(product: Product) -> None:
    """Record a successful fetch."""
    product.store.marks.set(_MAILBOX_MARK, {"read_at": product.now()})


def note_mailbox_failed(product: Product, reason: Message) -> None:
    """Record a failed fetch."""
    mark = _mailbox_mark(product)
    since = mark.get("since") or product.now()
    product.store.marks.set(_MAILBOX_MARK, {"read_at": mark.get("read_at"), "since": since, "reason": reason})


def mailbox_standing(product: Product) -> MailboxStanding:
    """Return the state of the mailbox."""
    mark = _mailbox_mark(product)
    reason = mark.get("reason")
    return MailboxStanding(mark.get("read_at"), mark.get("since"), Message.read(reason) if reason else None)


def _mailbox_mark(product: Product) -> dict[str, Any]:
    return dict(product.store.marks.get(_MAILBOX_MARK) or {})
