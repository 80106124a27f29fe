"""Write mails, send them through the mail server of the settings, and say which step failed."""

import smtplib
import ssl
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Final

from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, Unavailable
from wenhen.settings.notices_and_reports import NoticeSettings

_SMTP_TIMEOUT_SECONDS: Final = 30  # timeout for the mail server
_MAX_REPLY_CHARACTERS: Final = 200  # characters of its response


def has_mail_server(settings: NoticeSettings) -> bool:
    """Return whether the settings name a mail server and a sender."""
    return bool(settings.smtp and settings.sender)


def check_mail_address(text: str) -> str:
    """Return the address without its name. Raises `BadInput`."""
    address = parseaddr(text)[1]
    name, _, host = address.rpartition("@")
    if not name or "." not in host or not address.isascii() or not text.isprintable() or " " in address:
        raise BadInput("notices.no_address", given=repr(text[:80]))
    return address


def write_mail(settings: NoticeSettings, to: str, subject: str, text: str, now: datetime) -> EmailMessage:
    """Return a mail of the product itself."""
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["To"] = subject, settings.sender, to
    letter["Date"] = format_datetime(now.astimezone(CHINA))
    letter["Message-ID"] = make_message_id(settings.sender)
    letter.set_content(text)
    return letter


def make_message_id(sender: str) -> str:
    """Return the id of a new mail, under the host of its sender."""
    return make_msgid(domain=parseaddr(sender)[1].rpartition("@")[2])


def deliver_mail(letter: EmailMessage, settings: NoticeSettings) -> str:
    """Send the mail and return the response of the server. Raises `Unavailable` with the step that failed."""
    host, _, port = settings.smtp.rpartition(":")
    step = "mail.unreachable"
    try:
        with smtplib.SMTP(host, int(port), timeout=_SMTP_TIMEOUT_SECONDS) as server:
            if settings.smtp_tls:
                step = "mail.no_tls"
                server.starttls(context=ssl.create_default_context())
            if settings.smtp_user and settings.smtp_password:
                step = "mail.no_login"
                server.login(settings.smtp_user, settings.smtp_password.get_secret_value())
            step = "mail.refused"
            server.ehlo_or_helo_if_needed()
            reports_delivery = server.has_extn("dsn")  # RFC 3461: request delivery reports that return only the head
            code, server_reply = server.mail(parseaddr(settings.sender)[1], ["RET=HDRS"] if reports_delivery else [])
            if code != 250:
                raise _refusal("mail.sender_refused", settings, letter, _reply_text(code, server_reply))
            code, server_reply = server.rcpt(letter["To"], ["NOTIFY=SUCCESS,DELAY,FAILURE"] if reports_delivery else [])
            if code not in (250, 251):
                raise _refusal("mail.receiver_refused", settings, letter, _reply_text(code, server_reply))
            code, server_reply = server.data(letter.as_bytes(policy=letter.policy.clone(linesep="\r\n")))
    except smtplib.SMTPResponseException as error:
        reply = error.smtp_error if isinstance(error.smtp_error, bytes) else str(error.smtp_error).encode()
        raise _refusal(step, settings, letter, _reply_text(error.smtp_code, reply)) from error
    except (OSError, smtplib.SMTPException, ValueError) as error:
        raise _refusal(step, settings, letter, str(error) or type(error).__name__) from error
    if code != 250:
        raise _refusal("mail.refused", settings, letter, _reply_text(code, server_reply))
    return _reply_text(code, server_reply)


def _refusal(step: str, settings: NoticeSettings, letter: EmailMessage, reply: str) -> Unavailable:
    reply, to = reply[:_MAX_REPLY_CHARACTERS], str(letter["To"])
    return Unavailable(step, server=settings.smtp, user=settings.smtp_user, sender=settings.sender, to=to, said=reply)


def _reply_text(code: int, reply: bytes) -> str:
    return f"{code} {reply.decode('utf-8', 'replace')}"[:_MAX_REPLY_CHARACTERS]
