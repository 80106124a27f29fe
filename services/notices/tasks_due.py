"""Who has to do what by when, in one list: deadlines, letters, what came back or went away, papers that end."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice
from typing import Final

from services.context import Product
from services.notices.due_notices import due_notices
from services.notices.platforms import platforms
from store.records import AnswerKind, Case, CaseOrder, CaseStatus, Notice
from store.rules.cases.deadlines import CLOCKED

SOON: Final = timedelta(days=30)  # in which a paper ends that is listed
_MOST: Final = 100  # of one kind
_ENDS: Final = (AnswerKind.REMOVED, AnswerKind.REFUSED)  # what a search engine says in the end


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


def tasks(product: Product) -> list[Task]:
    """What is to be done: what is due first, then what has no day, in the order of `ToDo`."""
    found = [*_clocks(product), *_letters(product), *_mails(product), *_seen(product), *_papers(product)]
    order = list(ToDo)
    never = product.now() + timedelta(days=36_500)
    return sorted(found, key=lambda one: (one.by or never, order.index(one.what), one.about))


def _clocks(product: Product) -> Iterable[Task]:
    for status in CLOCKED:
        what = ToDo.COUNTER_DUE if status is CaseStatus.COUNTERED else ToDo.ANSWER_DUE
        for case in product.store.cases.find(status=status, order=CaseOrder.DEADLINE, limit=_MOST):
            yield _of_case(what, case, case.deadline)


def _letters(product: Product) -> Iterable[Task]:
    for due in due_notices(product)[:_MOST]:
        yield Task(what=ToDo.WRITE, about=f"{due.host} · {due.holder or '—'} · {due.copies}", case=due.case)
    for one in product.store.notices.recent(sent=False, limit=_MOST):
        yield Task(what=ToDo.SEND, who=one.written_by, about=f"{one.to} · {one.holder}", notice=one.id)
    engines = {one.id for one in platforms(product) if one.delists}
    going = (one for one in product.store.notices.sent_to(engines) if not _ended(one))
    for one in islice(going, _MOST):
        about = f"{one.to} · {one.holder}"
        yield Task(what=ToDo.DELIST_DUE, by=one.deadline, who=one.written_by, about=about, notice=one.id)


def _ended(notice: Notice) -> bool:
    return notice.delisted or any(answer.kind in _ENDS for answer in notice.answers)


def _mails(product: Product) -> Iterable[Task]:
    for one in product.store.notices.undelivered(_MOST):
        if one.undelivered:
            yield _of_notice(ToDo.SEND_AGAIN, one)
    for one in product.store.notices.unread(_MOST):
        yield _of_notice(ToDo.READ, one)
    for mail in product.store.replies.waiting(_MOST):
        yield Task(what=ToDo.ASSIGN, about=" · ".join(filter(None, (mail.sender, mail.subject))), mail=mail.id)


def _of_notice(what: ToDo, notice: Notice) -> Task:
    return Task(what=what, who=notice.sendings[-1].by, about=f"{notice.to} · {notice.holder}", notice=notice.id)


def _seen(product: Product) -> Iterable[Task]:
    for case in product.store.cases.find(removal=True, limit=_MOST):
        yield _of_case(ToDo.REMOVED, case, None)
    for case in product.store.cases.find(returned=True, limit=_MOST):
        yield _of_case(ToDo.RETURNED, case, None)


def _papers(product: Product) -> Iterable[Task]:
    until = product.now() + SOON
    for holder in product.store.holders.all():
        for paper in holder.papers:
            if paper.valid_until is not None and paper.valid_until < until:
                about = f"{holder.id} · {paper.title}"
                yield Task(what=ToDo.PAPER, by=paper.valid_until, about=about, holder=holder.id)


def _of_case(what: ToDo, case: Case, by: datetime | None) -> Task:
    about = f"{case.work_title} · {case.page_host}"
    return Task(what=what, by=by, who=case.assignee or case.decided_by, about=about, case=case.number)
