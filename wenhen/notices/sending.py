"""Send notices or record them as sent, propagate to their cases, and record answers."""

import logging
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Final

from wenhen.audit.model import ExportedFile
from wenhen.cases.decisions import decide_cases
from wenhen.cases.model import CaseStatus
from wenhen.cases.notice_requirements import require_notice_ready
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, NotFound, Unavailable, WenhenError
from wenhen.kit.files import limit_upload
from wenhen.kit.rights import Right
from wenhen.notices.drafting import BEING_SENT_MESSAGE, get_sendable_notice
from wenhen.notices.model import AnswerKind, DeliveryState, Notice, NoticeAnswer, Sending, SentBy
from wenhen.notices.platforms import is_delisting
from wenhen.product.context import Product
from wenhen.product.settings import NoticeSettings
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

logger = logging.getLogger(__name__)

_MAX_MOVING_TIME: Final = timedelta(minutes=10)  # that it takes


def propagate_to_cases(acting: Acting, notice: Notice) -> None:
    """Move the cases of a notice that was sent; one to a search engine moves none: where the copy is, nothing has
    happened yet. Done twice it moves nothing more.
    """
    taken = _accepted_sendings(notice)
    if taken and not is_delisting(acting.product, notice.platform):
        last = taken[-1]
        if len(taken) > 1 and _is_returned(taken[-2]):  # the clock runs anew
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
    acting.product.store.notices.followed(notice.id)


def sending_line(notice: Notice) -> AuditLine:
    """What the log tells of a notice that went out."""
    last = _accepted_sendings(notice)[-1]
    told = {"sent": last.how, "to": last.to, "deadline": notice.deadline}
    files = {"files": [file.audit_fields() for file in last.files]} if last.files else {}
    return AuditLine(f"notice:{notice.id}", new=told | files)


@audited("notice.follow")
def propagate_late(acting: Acting, notice: Notice) -> ChangeResult[None]:
    """Let the cases follow a notice whose sender died in between, and write the line that was not written."""
    acting.require(Right.PROCEED)
    propagate_to_cases(acting, notice)
    return change_result(None, sending_line(notice))


def propagate_left(product: Product) -> None:
    """Do so for all of them."""
    for notice in product.store.notices.unfollowed(product.now() - _MAX_MOVING_TIME):
        try:
            propagate_late(
                Acting(product, _accepted_sendings(notice)[-1].by, frozenset({Right.PROCEED, Right.DECIDE})), notice
            )
        except Unavailable:
            raise
        except WenhenError as error:  # a person has to decide: another try would be refused as well
            logger.warning("the cases of notice %s do not follow it: %s", notice.id, error)
            product.store.notices.followed(notice.id)


def _accepted_sendings(notice: Notice) -> list[Sending]:
    return [sending for sending in notice.sendings if sending.problem is None]


def _is_returned(sending: Sending) -> bool:
    return sending.delivery is not None and sending.delivery.state is DeliveryState.FAILED


def _cases_of_first_sending(acting: Acting, notice: Notice, last: Sending) -> list[int]:
    """The cases that wait for an answer to what came back."""
    known = acting.product.store.cases.many(notice.case_numbers)
    return [
        number for number, case in known.items() if case.status is CaseStatus.NOTICE_SENT and case.notice_at != last.at
    ]


MAX_ANSWER_CHARACTERS: Final = 20_000  # characters


@audited("notice.send")
def record_sent_notice(
    acting: Acting, id: str, how: SentBy, *, to: str | None = None, at: datetime | None = None
) -> ChangeResult[Notice]:
    """Note that a person sent the notice, by a form or a letter, now or then: its cases go on, the deadline runs.

    Raises `NotFound`; `Conflict` where it was sent; `BadInput` where the holder lacks what it needs, or nobody else has
    agreed where the setting asks for it; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, at = get_sendable_notice(acting.product, id), at or acting.product.now()
    require_sendable(acting.product, old, at)
    return change_result(*mark_sent(acting, old, Sending(at=at, by=acting.who, how=how, to=to)))


def require_sendable(product: Product, notice: Notice, at: datetime) -> None:
    """Raise `BadInput`, saying why, unless the notice may go out."""
    if product.settings.notice.two_persons and notice.approved_by is None:
        raise BadInput("notices.not_approved", id=notice.id)
    require_notice_ready(product, list(product.store.cases.many(notice.case_numbers).values()), at)


def mark_sent(
    acting: Acting, old: Notice, sending: Sending, *, stored: Notice | None = None
) -> tuple[Notice, AuditLine]:
    """The notice as sent, with its cases moved, and its line for the log. stored: what it takes the place of, where
    that is not the old one.
    """
    new = replace(
        old,
        sent_at=sending.at,
        deadline=sending.at + timedelta(days=old.days),
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
    at: datetime | None = None,
    file: tuple[str, bytes] | None = None,
) -> ChangeResult[Notice]:
    """Keep what came back. What it says moves no case: a person decides. NotFound, BadInput, TooLarge, Forbidden."""
    acting.require(Right.PROCEED)
    store = acting.product.store
    old, text = store.notices.get(id), text.strip()[:MAX_ANSWER_CHARACTERS]
    name, content = file or (None, None)
    if not text and content is None:
        raise BadInput("notices.empty_answer")
    notice_answer = NoticeAnswer(
        at=at or acting.product.now(),
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
    """Name and content of the file of an answer, counted from 0. Raises `NotFound`."""
    answers = product.store.notices.get(id).answers
    digest = answers[place].digest if 0 <= place < len(answers) else None
    if digest is None:
        raise NotFound("replies.no_answer", id=id, place=place)
    return answers[place].file_name or digest, product.store.blobs.get(digest)


def find_case_notices(product: Product, number: int) -> Sequence[Notice]:
    """The notices that name a case, the last written first."""
    return product.store.notices.of_cases([number])


# Notices sent by e-mail from the server: what the mail server answered is kept, also where it refused.


_SMTP_TIMEOUT_SECONDS: Final = 30  # seconds that the mail server may be silent
_MAX_REPLY_CHARACTERS: Final = 200  # characters of what it says


@audited("notice.mail")
def mail_notice(acting: Acting, id: str, to: str, files: Mapping[str, bytes] | None = None) -> ChangeResult[Notice]:
    """Send the notice to an address, with files by name beside it. Taken, its cases go on and the deadline runs; what
    was not taken stays unsent, and the try is kept with its reason.

    Raises `NotFound`; `Conflict` where it was sent, or is being sent; `BadInput` where there is no mail server, no such
    address, or what keeps any notice from being sent; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, now, settings = get_sendable_notice(acting.product, id), acting.product.now(), acting.product.settings.notice
    require_sendable(acting.product, old, now)
    if not settings.smtp or not settings.sender:
        raise BadInput("notices.no_server")
    address = _check_address(to)
    letter = _make_message(old, settings.sender, address, files or {})
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
    # Kept before it goes out: nobody else sends it meanwhile, and where this process dies the letter is known of.
    acting.product.store.notices.change(old, replace(old, sendings=(*old.sendings, tried)))
    try:
        tried = replace(tried, said=_deliver_message(letter, settings), problem=None)
    except Unavailable as error:
        tried = replace(tried, problem=error.message)
    return change_result(*_record_sending(acting, id, tried))


def _record_sending(acting: Acting, id: str, tried: Sending) -> tuple[Notice, AuditLine]:
    """The notice after a try, in place of what was kept of it before."""
    notices = acting.product.store.notices
    stored = notices.get(id)  # an answer may have been kept meanwhile
    before = replace(
        stored, sendings=tuple(sending for sending in stored.sendings if sending.message_id != tried.message_id)
    )
    if tried.problem is None:
        return mark_sent(acting, before, tried, stored=stored)
    new = replace(before, sendings=(*before.sendings, tried))
    notices.change(stored, new)
    return new, AuditLine(f"notice:{id}", new={"to": tried.to, "problem": str(tried.problem)})


def _make_message(notice: Notice, sender: str, to: str, files: Mapping[str, bytes]) -> EmailMessage:
    letter = EmailMessage()
    subject = notice.text.split("\n", 1)[0]
    letter["Subject"], letter["From"], letter["To"] = f"{subject} {notice.id}", sender, to
    letter["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2])
    letter.set_content(notice.text)
    for name, content in files.items():
        letter.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return letter


def _deliver_message(letter: EmailMessage, settings: NoticeSettings) -> str:
    """What the server said when it took the letter. Unavailable: it cannot be reached, or did not take it."""
    host, _, port = settings.smtp.rpartition(":")
    try:
        with smtplib.SMTP(host, int(port), timeout=_SMTP_TIMEOUT_SECONDS) as server:
            if settings.smtp_tls:
                server.starttls(context=ssl.create_default_context())
            if settings.smtp_user and settings.smtp_password:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            server.ehlo_or_helo_if_needed()
            told = server.has_extn("dsn")  # RFC 3461: it reports how the letter fared, and returns its head alone
            server.mail(parseaddr(settings.sender)[1], ["RET=HDRS"] if told else [])
            code, said = server.rcpt(letter["To"], ["NOTIFY=SUCCESS,DELAY,FAILURE"] if told else [])
            if code not in (250, 251):
                raise Unavailable("notices.not_taken", said=_reply_text(code, said))
            code, said = server.data(letter.as_bytes(policy=letter.policy.clone(linesep="\r\n")))
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise Unavailable("notices.not_taken", said=str(error)[:_MAX_REPLY_CHARACTERS]) from error
    if code != 250:
        raise Unavailable("notices.not_taken", said=_reply_text(code, said))
    return _reply_text(code, said)


def _reply_text(code: int, said: bytes) -> str:
    return f"{code} {said.decode('utf-8', 'replace')}"[:_MAX_REPLY_CHARACTERS]


def _check_address(given: str) -> str:
    address = parseaddr(given)[1]
    name, _, host = address.rpartition("@")
    if not name or "." not in host or not address.isascii() or not given.isprintable() or " " in address:
        raise BadInput("notices.no_address", given=repr(given[:80]))
    return address
