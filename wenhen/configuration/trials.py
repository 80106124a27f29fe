"""Try the mail servers and the time-stamping authorities of the settings."""

from datetime import timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from typing import Final

from wenhen.evidence.model import Stamp
from wenhen.evidence.signing import request_from_authorities
from wenhen.kit.clock import CHINA
from wenhen.kit.errors import BadInput, Message, Unavailable, message
from wenhen.kit.rights import Right
from wenhen.notices.mailbox import open_mailbox
from wenhen.product.mail_delivery import check_mail_address, deliver_mail
from wenhen.product.use_cases import Acting, AuditLine, ChangeResult, audited, change_result

_MAILBOX_DAYS: Final = 7  # days of mails that a trial of the mailbox counts


@audited("settings.try")
def try_mail_out(acting: Acting, to: str) -> ChangeResult[Message]:
    """Send a test mail, and return what the server said.

    Raises `BadInput` without a mail server and for an invalid address, `Unavailable` with the step that failed.
    """
    acting.require(Right.SETTINGS)
    settings, now = acting.product.settings.notice, acting.product.now()
    if not settings.smtp or not settings.sender:
        raise BadInput("mail.no_server")
    letter = EmailMessage()
    letter["Subject"], letter["From"] = "文痕 Wenhen：测试邮件 test mail", settings.sender
    letter["To"] = to = check_mail_address(to)
    letter["Date"] = format_datetime(now.astimezone(CHINA))
    letter["Message-ID"] = make_msgid(domain=parseaddr(settings.sender)[1].rpartition("@")[2])
    letter.set_content(f"发信服务器 {settings.smtp} 可用。\nThe mail server {settings.smtp} works.\n")
    said = deliver_mail(letter, settings)
    return change_result(message("mail.sent", to=to, said=said), AuditLine("setting:notice.smtp", new=to))


@audited("settings.try")
def try_mail_in(acting: Acting) -> ChangeResult[Message]:
    """Open the mailbox, and return how many mails came in the last week.

    Raises `BadInput` without a mailbox, `Unavailable` with the step that failed.
    """
    acting.require(Right.SETTINGS)
    settings = acting.product.settings.notice
    if not settings.imap:
        raise BadInput("mail.no_mailbox")
    since = (acting.product.now() - timedelta(days=_MAILBOX_DAYS)).date()
    with open_mailbox(settings) as mailbox:
        count = len(mailbox.after(0, since))
    done = message("mail.opened", folder=settings.imap_folder, count=count, days=_MAILBOX_DAYS)
    return change_result(done, AuditLine("setting:notice.imap"))


@audited("settings.try")
def try_authorities(acting: Acting) -> ChangeResult[Message]:
    """Ask the authorities for a time stamp, which is not kept, and return which one gave it.

    Raises `BadInput` without an authority, `Unavailable` with the reason of the last one.
    """
    acting.require(Right.SETTINGS)
    product, now = acting.product, acting.product.now()
    if not product.settings.evidence.authorities:
        raise BadInput("evidence.no_authority")
    stamp = request_from_authorities(product, Stamp(id="trial", text="wenhen", wanted_at=now, due=now))
    if stamp.problem is not None:
        raise Unavailable("mail.no_stamp", said=stamp.problem)
    return change_result(message("mail.stamped", authority=stamp.authority), AuditLine("setting:evidence.authorities"))
