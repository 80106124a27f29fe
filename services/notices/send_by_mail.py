"""Notices sent by e-mail from the server: what the mail server answered is kept, also where it refused."""

import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import replace
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Final

from pipeline.setting_sections import NoticeSettings
from services.acting import Acting
from services.audited import Changed, Line, audited, changed
from services.notices.not_sent import UNDER_WAY, sendable
from services.notices.sent_and_answered import gone_out, require_sendable
from store.errors import BadInput, Unavailable
from store.records import LeftFile, Notice, Sending, SentBy
from store.rules.china_time import CHINA
from store.rules.role_rights import Right

_PATIENCE: Final = 30  # seconds that the mail server may be silent
_TOLD: Final = 200  # characters of what it says


@audited("notice.mail")
def mail(acting: Acting, id: str, to: str, files: Mapping[str, bytes] | None = None) -> Changed[Notice]:
    """Send the notice to an address, with files by name beside it. Taken, its cases go on and the deadline runs; what
    was not taken stays unsent, and the try is kept with its reason.

    Raises `NotFound`; `Conflict` where it was sent, or is being sent; `BadInput` where there is no mail server, no such
    address, or what keeps any notice from being sent; `Forbidden`.
    """
    acting.require(Right.PROCEED)
    old, now, settings = sendable(acting.product, id), acting.product.now(), acting.product.settings.notice
    require_sendable(acting.product, old, now)
    if not settings.smtp or not settings.sender:
        raise BadInput("notices.no_server")
    address = _address(to)
    letter = _letter(old, settings.sender, address, files or {})
    letter["Date"] = format_datetime(now.astimezone(CHINA))
    tried = Sending(
        at=now,
        by=acting.who,
        how=SentBy.MAIL,
        to=address,
        message_id=letter["Message-ID"],
        problem=UNDER_WAY,
        files=tuple(LeftFile.of(name, content) for name, content in (files or {}).items()),
    )
    # Kept before it goes out: nobody else sends it meanwhile, and where this process dies the letter is known of.
    acting.product.store.notices.change(old, replace(old, sendings=(*old.sendings, tried)))
    try:
        tried = replace(tried, said=_delivered(letter, settings), problem=None)
    except Unavailable as error:
        tried = replace(tried, problem=error.message)
    return changed(*_noted(acting, id, tried))


def _noted(acting: Acting, id: str, tried: Sending) -> tuple[Notice, Line]:
    """The notice after a try, in place of what was kept of it before."""
    notices = acting.product.store.notices
    stored = notices.get(id)  # an answer may have been kept meanwhile
    before = replace(stored, sendings=tuple(one for one in stored.sendings if one.message_id != tried.message_id))
    if tried.problem is None:
        return gone_out(acting, before, tried, stored=stored)
    new = replace(before, sendings=(*before.sendings, tried))
    notices.change(stored, new)
    return new, Line(f"notice:{id}", new={"to": tried.to, "problem": str(tried.problem)})


def _letter(notice: Notice, sender: str, to: str, files: Mapping[str, bytes]) -> EmailMessage:
    letter = EmailMessage()
    subject = notice.text.split("\n", 1)[0]
    letter["Subject"], letter["From"], letter["To"] = f"{subject} {notice.id}", sender, to
    letter["Message-ID"] = make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2])
    letter.set_content(notice.text)
    for name, content in files.items():
        letter.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return letter


def _delivered(letter: EmailMessage, settings: NoticeSettings) -> str:
    """What the server said when it took the letter. Unavailable: it cannot be reached, or did not take it."""
    host, _, port = settings.smtp.rpartition(":")
    try:
        with smtplib.SMTP(host, int(port), timeout=_PATIENCE) as server:
            if settings.smtp_tls:
                server.starttls(context=ssl.create_default_context())
            if settings.smtp_user and settings.smtp_password:
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            server.ehlo_or_helo_if_needed()
            told = server.has_extn("dsn")  # RFC 3461: it reports how the letter fared, and returns its head alone
            server.mail(parseaddr(settings.sender)[1], ["RET=HDRS"] if told else [])
            code, said = server.rcpt(letter["To"], ["NOTIFY=SUCCESS,DELAY,FAILURE"] if told else [])
            if code not in (250, 251):
                raise Unavailable("notices.not_taken", said=_words(code, said))
            code, said = server.data(letter.as_bytes(policy=letter.policy.clone(linesep="\r\n")))
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise Unavailable("notices.not_taken", said=str(error)[:_TOLD]) from error
    if code != 250:
        raise Unavailable("notices.not_taken", said=_words(code, said))
    return _words(code, said)


def _words(code: int, said: bytes) -> str:
    return f"{code} {said.decode('utf-8', 'replace')}"[:_TOLD]


def _address(given: str) -> str:
    address = parseaddr(given)[1]
    name, _, host = address.rpartition("@")
    if not name or "." not in host or not address.isascii() or not given.isprintable() or " " in address:
        raise BadInput("notices.no_address", given=repr(given[:80]))
    return address
