"""Draft, edit, approve and delete notices that were not sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Final, TypedDict

from crawler.addresses import readable_host
from wenhen.cases.model import Case
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.holders.model import Holder
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Conflict, Message, message
from wenhen.kit.rights import Right
from wenhen.notices.content import (
    NoticeSubject,
    captures_named,
    letter_numbers,
    make_notice_subject,
    notice_values,
    render_notice,
    split_copies,
)
from wenhen.notices.model import Notice, NoticeLaw, Platform
from wenhen.notices.platforms import PLAIN_SITE, get_platform

# Notices that were not sent or bounced may be edited, approved and sent.


BEING_SENT_MESSAGE: Final = Message("notices.under_way")  # problem of a sending whose result is unknown
_MAX_SENDING_TIME: Final = timedelta(minutes=10)  # longest duration of a sending


def get_sendable_notice(product: Product, id: str) -> Notice:
    """Return a notice that was not sent or bounced, and is not being sent. Raises `NotFound`, `Conflict`."""
    notice = product.store.notices.get(id)
    return _require_idle(product, notice) if notice.is_undelivered else get_unsent_notice(product, id)


def get_unsent_notice(product: Product, id: str) -> Notice:
    """Return a notice that was not sent and is not being sent. Raises `NotFound`, `Conflict`."""
    notice = _require_idle(product, product.store.notices.get(id))
    if notice.sent_at is not None:
        raise Conflict("notices.was_sent", id=id)
    return notice


def _require_idle(product: Product, notice: Notice) -> Notice:
    last = notice.sendings[-1] if notice.sendings else None
    if last is not None and last.problem == BEING_SENT_MESSAGE and product.now() - last.at < _MAX_SENDING_TIME:
        raise Conflict("notices.being_sent", id=notice.id)
    return notice


# A second person approves a notice, not its author or editor, and again after each edit.


class _Unapproved(TypedDict):
    approved_at: None
    approved_by: None


UNAPPROVED: Final[_Unapproved] = {"approved_at": None, "approved_by": None}  # an edit revokes the approval


@audited("notice.approve")
def approve_notice(acting: Acting, id: str) -> ChangeResult[Notice]:
    """Approve a notice as another person than its author and editor.

    Raises `NotFound`, `Conflict`, `BadInput` for one's own notice, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old = get_unsent_notice(acting.product, id)
    if acting.who in (old.written_by, old.edited_by):
        raise BadInput("notices.own")
    new = replace(old, approved_at=acting.product.now(), approved_by=acting.who)
    acting.product.store.notices.change(old, new)
    return change_result(new, AuditLine(f"notice:{id}", new={"approved_by": acting.who}))


MAX_NOTICE_CHARACTERS: Final = 50_000  # characters of the text
MAX_TERM_DAYS: Final = 90
_WRITING_LEASE: Final = timedelta(minutes=1)  # longer than drafting; expires if the process dies


@audited("notice.write")
def write_notices(acting: Acting, number: int, platform_id: str | None = None) -> ChangeResult[list[Notice]]:
    """Draft notices about a case, and about other copies of the same holder on its site and mirrors.

    The number of notices depends on the links per notice of the platform. Copies in a draft, or waiting for an answer,
    stay with that notice. A copy that came back after its removal, or whose case was reopened, is named as repeated.

    platform_id: another receiver than the platform of the site, such as a search engine or hosting provider.

    Raises `NotFound`, `BadInput` if the work has no holder or no copies are left, `Conflict` during concurrent drafting
    for the same holder, and `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product = acting.product
    to = get_platform(product, platform_id) if platform_id else None
    case = product.store.cases.get(str(number))
    holder = make_notice_subject(product, case, to).holder
    if holder is None:
        raise BadInput("holders.nobody", number=number)
    with _writing_lock(product, holder):
        subject = make_notice_subject(product, case, to)  # determined again under the lock
        if not subject.copies:
            why = subject.closed or message("notices.nothing_left", number=number)
            raise BadInput(why.code, **why.figures)
        written = [_make_notice(acting, subject, part) for part in split_copies(subject)]
        for notice in written:
            product.store.notices.add(notice)
    return change_result(
        written, *(AuditLine(f"notice:{notice.id}", new={"cases": list(notice.case_numbers)}) for notice in written)
    )


@audited("notice.edit")
def edit_notice(acting: Acting, id: str, *, text: str, days: int) -> ChangeResult[Notice]:
    """Edit the text of an unsent notice. This revokes its approval. A changed term is changed in the text too.

    Raises `NotFound`, `Conflict` if it was sent, `BadInput` for an empty text or invalid number of days, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old = get_unsent_notice(acting.product, id)
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > MAX_NOTICE_CHARACTERS:
        raise BadInput("notices.text", most=MAX_NOTICE_CHARACTERS)
    if not 1 <= days <= MAX_TERM_DAYS:
        raise BadInput("notices.days", most=MAX_TERM_DAYS)
    if days != old.days:
        text = text.replace(f" {old.days} 日内", f" {days} 日内")
    now = acting.product.now()
    new = replace(old, text=text + "\n", days=days, edited_at=now, edited_by=acting.who, **UNAPPROVED)
    acting.product.store.notices.change(old, new)
    return change_result(
        new, AuditLine(f"notice:{id}", old={"text": old.text, "days": old.days}, new={"text": new.text, "days": days})
    )


@audited("notice.remove")
def remove_notice(acting: Acting, id: str) -> ChangeResult[None]:
    """Delete an unsent notice. Its number is not reused. Raises `NotFound`, `Conflict`, `Forbidden`."""
    acting.require(Right.PROCEED)
    old = get_unsent_notice(acting.product, id)
    acting.product.store.notices.remove(old)
    return change_result(None, AuditLine(f"notice:{id}", old={"cases": list(old.case_numbers)}))


@contextmanager
def _writing_lock(product: Product, holder: Holder) -> Iterator[None]:
    """Lock drafting for a holder, so that concurrent or repeated requests do not draft a notice twice."""
    mark = f"notice:write:{holder.id}"
    if not product.store.marks.claim(mark, product.now(), _WRITING_LEASE):
        raise Conflict("notices.being_written", holder=holder.id)
    try:
        yield
    finally:
        product.store.marks.release(mark)


def _addressee(to: Platform, host: str) -> str:
    """Return the name of the addressee. The operator of a plain site is named by its host."""
    if to.id != PLAIN_SITE:
        return to.name
    readable = readable_host(host)
    named = host if readable == host else f"{readable} ({host})"
    return message("notices.provider", host=named).text("en" if to.law is NoticeLaw.DMCA else "zh")


def _make_notice(acting: Acting, subject: NoticeSubject, copies: Sequence[Case]) -> Notice:
    product, now, to = acting.product, acting.product.now(), subject.to
    number = product.store.notices.number(china_day(now).year)
    addressed = _addressee(to, subject.hosts[0])
    assert subject.holder is not None
    return Notice(
        id=number,
        holder=subject.holder.id,
        platform=to.id,
        law=to.law,
        to=addressed,
        hosts=subject.hosts,
        case_numbers=tuple(copy.number for copy in copies),
        text=render_notice(to.law, notice_values(product, subject, copies, addressed, number)),
        days=to.days,
        written_at=now,
        written_by=acting.who,
        previous=letter_numbers(subject.earlier.get(copy.number, ()) for copy in copies),
        named=captures_named(copies),
    )
