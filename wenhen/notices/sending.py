"""Send notices or record them as sent, update their cases, and record answers."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import PurePath
from typing import Final

from crawler.addresses import readable_host
from wenhen.audit.model import ExportedFile
from wenhen.cases.decisions import decide_cases, require_notice_ready
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_deadlines import deadline_after
from wenhen.context.mail_delivery import check_mail_address, deliver_mail, has_mail_server, make_message_id
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, NotFound, Unavailable, WenhenError
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right
from wenhen.notices.drafting import BEING_SENT_MESSAGE, get_sendable_notice
from wenhen.notices.model import AnswerKind, DeliveryState, Notice, NoticeAnswer, Sending, SentBy
from wenhen.notices.platforms import is_delisting

logger = logging.getLogger(__name__)

_MAX_MOVING_TIME: Final = timedelta(minutes=10)  # longest duration of updating cases


def propagate_to_cases(acting: Acting, notice: Notice) -> None:
    """Move the cases of a sent notice. The call is idempotent.

    A notice to a search engine moves no case, because the copy itself is unchanged.
    """
    taken = _accepted_sendings(notice)
    if taken and not is_delisting(acting.product, notice.platform):
        last = taken[-1]
        if len(taken) > 1 and _is_returned(taken[-2]):  # the deadline starts again
            decide_cases(acting, _cases_of_first_sending(acting, notice, last), CaseStatus.CONFIRMED, note=notice.id)
        decide_cases(
            acting,
            notice.case_numbers,
            CaseStatus.NOTICE_SENT,
            note=notice.id,
            notice_at=last.at,
            deadline=notice.deadline,
            of_notice=True,
        )
    acting.product.store.notices.mark_followed(notice.id)


def sending_line(notice: Notice) -> AuditLine:
    """Return the audit line of a sent notice."""
    last = _accepted_sendings(notice)[-1]
    audited = {"sent": last.how, "to": last.to, "deadline": notice.deadline}
    files = {"files": [file.audit_fields() for file in last.files]} if last.files else {}
    return AuditLine(f"notice:{notice.id}", new=audited | files)


@audited("notice.follow")
def propagate_late(acting: Acting, notice: Notice) -> ChangeResult[None]:
    """Update the cases of a notice whose sender died, and write the missing audit line."""
    acting.require(Right.PROCEED)
    propagate_to_cases(acting, notice)
    return change_result(None, sending_line(notice))


def propagate_left(product: Product) -> None:
    """Update the cases of all notices whose sender died."""
    for notice in product.store.notices.find_unfollowed(product.now() - _MAX_MOVING_TIME):
        try:
            propagate_late(
                Acting(product, _accepted_sendings(notice)[-1].by, frozenset({Right.PROCEED, Right.DECIDE})), notice
            )
        except Unavailable:
            raise
        except WenhenError as error:  # a retry would fail as well, so a person has to decide
            logger.warning("the cases of notice %s do not follow it: %s", notice.id, error)
            product.store.notices.mark_followed(notice.id)


def _accepted_sendings(notice: Notice) -> list[Sending]:
    return [sending for sending in notice.sendings if sending.problem is None]


def _is_returned(sending: Sending) -> bool:
    return sending.delivery is not None and sending.delivery.state is DeliveryState.FAILED


def _cases_of_first_sending(acting: Acting, notice: Notice, last: Sending) -> list[int]:
    """Return the cases that wait for an answer to the bounced sending."""
    known = acting.product.store.cases.many(notice.case_numbers)
    return [
        number for number, case in known.items() if case.status is CaseStatus.NOTICE_SENT and case.notice_at != last.at
    ]


MAX_ANSWER_CHARACTERS: Final = 20_000  # characters of the text


@audited("notice.send")
def record_sent_notice(
    acting: Acting, id: str, how: SentBy, *, to: str | None = None, sent_at: datetime | None = None
) -> ChangeResult[Notice]:
    """Record that a person sent the notice by form or letter. Its cases move and its deadline starts.

    Raises `NotFound`, `Conflict` if it was sent, `BadInput` if requirements or a required approval are missing,
    `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, sent_at = get_sendable_notice(acting.product, id), sent_at or acting.product.now()
    require_sendable(acting.product, old, sent_at)
    return change_result(*mark_sent(acting, old, Sending(at=sent_at, by=acting.who, how=how, to=to)))


def require_sendable(product: Product, notice: Notice, moment: datetime) -> None:
    """Raise `BadInput` with the reason unless the notice may be sent."""
    if product.settings.notice.two_persons and notice.approved_by is None:
        raise BadInput("notices.not_approved", id=notice.id)
    require_notice_ready(product, list(product.store.cases.many(notice.case_numbers).values()), moment)


def mark_sent(
    acting: Acting, old: Notice, sending: Sending, *, stored: Notice | None = None
) -> tuple[Notice, AuditLine]:
    """Store the notice as sent, move its cases, and return it with the audit line.

    stored: the version to replace, by default `old`.
    """
    new = replace(
        old,
        sent_at=sending.at,
        deadline=deadline_after(sending.at, old.days),
        sendings=(*old.sendings, sending),
        follows_since=acting.product.now(),
    )
    acting.product.store.notices.change(stored or old, new)
    propagate_to_cases(acting, new)
    return replace(new, follows_since=None), sending_line(new)


@audited("notice.answer")
def record_answer(
    acting: Acting,
    id: str,
    kind: AnswerKind,
    text: str,
    *,
    received_at: datetime | None = None,
    file: tuple[str, bytes] | None = None,
) -> ChangeResult[Notice]:
    """Record an answer. It moves no case, because a person decides.

    Raises `NotFound`, `BadInput`, `TooLarge`, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    store = acting.product.store
    old, text = store.notices.get(id), text.strip()[:MAX_ANSWER_CHARACTERS]
    name, content = file or (None, None)
    if not text and content is None:
        raise BadInput("notices.empty_answer")
    notice_answer = NoticeAnswer(
        at=received_at or acting.product.now(),
        kept_by=acting.who,
        kind=kind,
        text=text,
        file_name=name,
        digest=store.blobs.put(limit_upload(name, content)) if content is not None else None,
    )
    new = replace(old, answers=(*old.answers, notice_answer))
    store.notices.change(old, new)
    return change_result(new, AuditLine(f"notice:{id}", new={"answer": kind}))


def load_answer_file(product: Product, id: str, place: int) -> tuple[str, bytes]:
    """Return name and content of the file of an answer, by index from 0. Raises `NotFound`."""
    answers = product.store.notices.get(id).answers
    digest = answers[place].digest if 0 <= place < len(answers) else None
    if digest is None:
        raise NotFound("replies.no_answer", id=id, place=place)
    return answers[place].file_name or digest, product.store.blobs.get(digest)


def find_case_notices(product: Product, number: int) -> Sequence[Notice]:
    """Return the notices about a case, newest first."""
    return product.store.notices.of_cases([number])


# Notices sent by e-mail. The response of the mail server is stored, also if it rejects the mail.


@audited("notice.mail")
def mail_notice(
    acting: Acting, id: str, to: str, files: Mapping[str, bytes] | None = None, appendix: str = ""
) -> ChangeResult[Notice]:
    """Send the notice by e-mail with attachments by name. appendix: further lines below its text.

    If the server accepts it, its cases move and its deadline starts. Otherwise the notice stays unsent, and the attempt
    is stored with the reason.

    Raises `NotFound`, `Conflict` if it was sent or is being sent, `BadInput` without a mail server, for an invalid
    address or an unsendable notice, and `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, now, settings = get_sendable_notice(acting.product, id), acting.product.now(), acting.product.settings.notice
    require_sendable(acting.product, old, now)
    if not has_mail_server(settings):
        raise BadInput("notices.no_server")
    address = check_mail_address(to)
    letter = _make_message(old, settings.sender, address, files or {}, appendix)
    letter["Date"] = format_datetime(now.astimezone(CHINA))
    tried = Sending(
        at=now,
        by=acting.who,
        how=SentBy.MAIL,
        to=address,
        message_id=letter["Message-ID"],
        problem=BEING_SENT_MESSAGE,
        files=tuple(ExportedFile.of(name, content) for name, content in (files or {}).items()),
    )
    # Store the attempt first, so that nobody else sends the notice, and a crash leaves a record.
    acting.product.store.notices.change(old, replace(old, sendings=(*old.sendings, tried)))
    try:
        tried = replace(tried, said=deliver_mail(letter, settings), problem=None)
    except Unavailable as error:
        tried = replace(tried, problem=error.message)
    return change_result(*_record_sending(acting, id, tried))


def _record_sending(acting: Acting, id: str, tried: Sending) -> tuple[Notice, AuditLine]:
    """Return the notice after an attempt, which replaces the record made before it."""
    notices = acting.product.store.notices
    stored = notices.get(id)  # an answer may have been recorded meanwhile
    before = replace(
        stored, sendings=tuple(sending for sending in stored.sendings if sending.message_id != tried.message_id)
    )
    if tried.problem is None:
        return mark_sent(acting, before, tried, stored=stored)
    new = replace(before, sendings=(*before.sendings, tried))
    notices.change(stored, new)
    return new, AuditLine(f"notice:{id}", new={"to": tried.to, "problem": str(tried.problem)})


_MEDIA_TYPES: Final = {  # of attachments; what a machine knows besides differs
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".zip": "application/zip",
}


def _make_message(notice: Notice, sender: str, to: str, files: Mapping[str, bytes], appendix: str) -> EmailMessage:
    letter = EmailMessage()
    subject = notice.text.split("\n", 1)[0]
    about = " · ".join((notice.holder, *map(readable_host, notice.hosts[:1])))
    letter["Subject"], letter["From"], letter["To"] = f"{subject} {notice.id} · {about}", sender, to
    letter["Message-ID"] = make_message_id(sender)
    letter.set_content(f"{notice.text.rstrip()}\n\n{appendix}\n" if appendix else notice.text)
    for name, content in files.items():
        kind = _MEDIA_TYPES.get(PurePath(name).suffix.lower(), "application/octet-stream")
        maintype, _, subtype = kind.partition("/")
        letter.add_attachment(content, maintype=maintype, subtype=subtype, filename=name)
    return letter
