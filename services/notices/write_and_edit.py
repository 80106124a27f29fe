"""Notices written, edited, and thrown away."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Final

from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.context import Product
from services.notices.approval import UNAPPROVED
from services.notices.not_sent import unsent
from services.notices.notice_subject import NoticeSubject, notice_about
from services.notices.notice_text import told, worded
from services.notices.one_or_several_notices import copies_of_each
from services.notices.platforms import PLAIN, platform, platform_of
from store.errors import BadInput, Conflict
from store.messages import message
from store.records import Case, Holder, Notice, NoticeLaw, Platform
from store.rules.china_time import day_of
from store.rules.role_rights import Right

LONGEST: Final = 50_000  # characters of a text
MOST_DAYS: Final = 90
_LEASE: Final = timedelta(minutes=1)  # longer than writing may take; who dies meanwhile holds it no longer


@audited("notice.write")
def write(acting: Acting, number: int, platform_id: str | None = None) -> Changed[list[Notice]]:
    """Write the notices about a case, and about what else its site and mirrors have of the same holder: one, or as many
    as the platform's bound on links asks for. Copies that a notice was written about already stay with it.

    platform_id: to whom, where it is not the platform that the site belongs to: a search engine, the site's host.
    Raises `NotFound`; `BadInput` where nobody holds the work, or nothing is left to write about; `Conflict` while
    somebody else writes in the name of the same holder; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product = acting.product
    subject = notice_about(product, product.store.cases.get(str(number)))
    if subject.holder is None:
        raise BadInput("holders.nobody", number=number)
    to = platform(product, platform_id) if platform_id else platform_of(product, subject.case.page_host)
    with _alone(product, subject.holder):
        parts = copies_of_each(product, subject, to)
        if not parts:
            raise BadInput("notices.nothing_left", number=number)
        written = [_written(acting, subject, part, to) for part in parts]
        for one in written:
            product.store.notices.add(one)
    return changed(written, *(Line(f"notice:{one.id}", new={"cases": list(one.case_numbers)}) for one in written))


@audited("notice.edit")
def edit(acting: Acting, id: str, *, text: str, days: int) -> Changed[Notice]:
    """Set the words of a notice that was not sent; who looked at it before has to look again.

    Raises `NotFound`; `Conflict` where it was sent; `BadInput` for no text, or no such number of days; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old = unsent(acting.product, id)
    text = text.replace("\r\n", "\n").strip()
    if not text or len(text) > LONGEST:
        raise BadInput("notices.text", most=LONGEST)
    if not 1 <= days <= MOST_DAYS:
        raise BadInput("notices.days", most=MOST_DAYS)
    now = acting.product.now()
    new = replace(old, text=text + "\n", days=days, edited_at=now, edited_by=acting.who, **UNAPPROVED)
    acting.product.store.notices.change(old, new)
    return changed(
        new, Line(f"notice:{id}", old={"text": old.text, "days": old.days}, new={"text": new.text, "days": days})
    )


@audited("notice.remove")
def remove(acting: Acting, id: str) -> Changed[None]:
    """Throw a notice away that was not sent; its number is not given out again. NotFound, Conflict, Forbidden."""
    acting.require(Right.PROCEED)
    old = unsent(acting.product, id)
    acting.product.store.notices.remove(old)
    return changed(None, Line(f"notice:{id}", old={"cases": list(old.case_numbers)}))


@contextmanager
def _alone(product: Product, holder: Holder) -> Iterator[None]:
    """Two who write at once, or one whose request comes twice, would write the same letter twice."""
    mark = f"notice:write:{holder.id}"
    if not product.store.marks.claim(mark, product.now(), _LEASE):
        raise Conflict("notices.being_written", holder=holder.id)
    try:
        yield
    finally:
        product.store.marks.release(mark)


def _addressee(to: Platform, host: str) -> str:
    """Whoever runs a site that is no platform's has no name that we know."""
    if to.id != PLAIN:
        return to.name
    return message("notices.provider", host=host).text("en" if to.law is NoticeLaw.DMCA else "zh")


def _written(acting: Acting, subject: NoticeSubject, copies: Sequence[Case], to: Platform) -> Notice:
    product, now = acting.product, acting.product.now()
    number = product.store.notices.number(day_of(now).year)
    addressed = _addressee(to, subject.hosts[0])
    assert subject.holder is not None
    return Notice(
        id=number,
        holder=subject.holder.id,
        platform=to.id,
        law=to.law,
        to=addressed,
        hosts=subject.hosts,
        case_numbers=tuple(one.number for one in copies),
        text=worded(to.law, told(product, subject, copies, to, addressed, number)),
        days=to.days,
        written_at=now,
        written_by=acting.who,
    )
