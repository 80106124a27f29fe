"""To which notice a mail belongs, and that it stands there."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from services.audited import Line
from services.context import Product
from services.notices.replies.mail_to_reply import ReadMail, Told
from services.notices.replies.mailbox import Mail
from store.errors import Conflict, NotFound
from store.records import (
    AnswerKind,
    AssignedBy,
    DeliveryReport,
    DeliveryState,
    Notice,
    NoticeAnswer,
    Reply,
    Sending,
)

_NUMBER: Final = re.compile(r"(?<![\d-])20\d\d-\d{4,8}(?![\d-])")  # of a notice, in a subject
_TRIES: Final = 5  # where others change the notice meanwhile


@dataclass(frozen=True, slots=True)
class Belonging:
    """Where a mail belongs. sent: the Message-ID of ours that it is about, where it names one."""

    notice: Notice
    by: AssignedBy
    sent: str | None = None


def place_of(product: Product, read: ReadMail) -> Belonging | None:
    """By what it answers or returns, then by its subject."""
    store = product.store
    for notice in store.notices.of_mails(read.refers) if read.refers else ():
        ours = {one.message_id for one in notice.sendings}
        return Belonging(notice, AssignedBy.MESSAGE_ID, next(id for id in read.refers if id in ours))
    for number in _NUMBER.findall(read.subject):
        try:
            notice = store.notices.get(number)
        except NotFound:
            continue
        if notice.sent_at is not None:
            return Belonging(notice, AssignedBy.NUMBER)
    return None


def as_answer(reply: Reply, by: AssignedBy, kept_by: str) -> NoticeAnswer:
    """A mail as it stands on a notice, with its bytes as the file."""
    return NoticeAnswer(
        at=reply.at,
        kept_by=kept_by,
        kind=AnswerKind.RECEIVED if reply.automatic else AnswerKind.OTHER,
        text=reply.text,
        file_name=f"{reply.id[:12]}.eml",
        digest=reply.id,
        sender=reply.sender,
        subject=reply.subject,
        attachments=reply.attachments,
        assigned_by=by,
        automatic=reply.automatic,
    )


def answered(product: Product, id: str, answer: NoticeAnswer) -> Line | None:
    """Put an answer on a notice, once: its line for the log. Raises `NotFound`, `Conflict`."""

    def put(notice: Notice) -> Notice | None:
        there = any(one.digest == answer.digest for one in notice.answers)
        return None if there else replace(notice, answers=(*notice.answers, answer))

    told = {"from": answer.sender, "subject": answer.subject, "sha256": answer.digest, "by": answer.assigned_by}
    return Line(f"notice:{id}", new=told, action="notice.reply") if _changed(product, id, put) else None


def reported(product: Product, place: Belonging, mail: Mail, digest: str, told: Told) -> Line | None:
    """Put a delivery report on the mail of a notice that it is about, once: its line for the log."""
    report = DeliveryReport(at=mail.at, state=told.state, said=told.said, digest=digest)

    def put(notice: Notice) -> Notice | None:
        mails = [one.message_id for one in notice.sendings]
        at = mails.index(place.sent) if place.sent else len(mails) - 1
        one = notice.sendings[at]
        return None if _knows(one, report) else _with(notice, at, replace(one, reports=(*one.reports, report)))

    new = {"state": told.state, "said": told.said, "sha256": digest}
    done = _changed(product, place.notice.id, put)
    return Line(f"notice:{place.notice.id}", new=new, action="notice.delivery") if done else None


def failed(told: tuple[Told, ...]) -> bool:
    """Whether a report says that a notice did not arrive."""
    return any(one.state is DeliveryState.FAILED for one in told)


def _changed(product: Product, id: str, put: Callable[[Notice], Notice | None]) -> bool:
    """Change a notice as it stands, whoever else does; False where there is nothing to change."""
    for left in reversed(range(_TRIES)):
        old = product.store.notices.get(id)
        new = put(old)
        if new is None:
            return False
        try:
            product.store.notices.change(old, new)
        except Conflict:
            if not left:
                raise
        else:
            break
    return True


def _knows(sending: Sending, report: DeliveryReport) -> bool:
    return any(
        (one.digest, one.state, one.said) == (report.digest, report.state, report.said) for one in sending.reports
    )


def _with(notice: Notice, at: int, sending: Sending) -> Notice:
    return replace(notice, sendings=(*notice.sendings[:at], sending, *notice.sendings[at + 1 :]))
