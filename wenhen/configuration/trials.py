"""Try the mail servers and the time-stamping authorities of the settings."""

import secrets
import shutil
import tempfile
from collections.abc import Callable
from datetime import timedelta
from typing import Final, NamedTuple

from wenhen.accounts.single_sign_on import find_provider
from wenhen.backups.backup import find_backup_target
from wenhen.context.mail_delivery import check_mail_address, deliver_mail, has_mail_server, write_mail
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, audited, change_result
from wenhen.evidence.model import Stamp
from wenhen.evidence.signing import request_from_authorities
from wenhen.kit.errors import BadInput, Message, Unavailable, message
from wenhen.kit.remote_files import RemotePath
from wenhen.kit.rights import Right
from wenhen.notices.mailbox import open_mailbox

_MAILBOX_DAYS: Final = 7  # days of mails that a trial of the mailbox counts


class ServerTrial(NamedTuple):
    """Whether a server did what it was asked, and what is to be said of it."""

    worked: bool
    said: Message


@audited("settings.try")
def try_mail_out(acting: Acting, to: str) -> ChangeResult[ServerTrial]:
    """Send a test mail, and return what the server said, or the step that failed.

    Raises `BadInput` without a mail server and for an invalid address, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    settings = acting.product.settings.notice
    if not has_mail_server(settings):
        raise BadInput("mail.no_server")
    address = check_mail_address(to)
    text = f"发信服务器 {settings.smtp} 可用。\nThe mail server {settings.smtp} works.\n"
    letter = write_mail(settings, address, "文痕 Wenhen：测试邮件 test mail", text, acting.product.now())
    return _report_trial("notice.smtp", lambda: message("mail.sent", to=address, said=deliver_mail(letter, settings)))


@audited("settings.try")
def try_mail_in(acting: Acting) -> ChangeResult[ServerTrial]:
    """Open the mailbox, and return how many mails came in the last week, or the step that failed.

    Raises `BadInput` without a mailbox, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    settings = acting.product.settings.notice
    if not settings.imap:
        raise BadInput("mail.no_mailbox")
    since = (acting.product.now() - timedelta(days=_MAILBOX_DAYS)).date()

    def count() -> Message:
        with open_mailbox(settings) as mailbox:
            number = len(mailbox.after(0, since))
        return message("mail.opened", folder=settings.imap_folder, count=number, days=_MAILBOX_DAYS)

    return _report_trial("notice.imap", count)


@audited("settings.try")
def try_authorities(acting: Acting) -> ChangeResult[ServerTrial]:
    """Ask the authorities for a time stamp, which is not kept, and return which one gave it, or why none did.

    Raises `BadInput` without an authority, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    product, now = acting.product, acting.product.now()
    if not product.settings.evidence.authorities:
        raise BadInput("evidence.no_authority")

    def ask() -> Message:
        stamp = request_from_authorities(product, Stamp(id="trial", text="wenhen", wanted_at=now, due=now))
        if stamp.problem is not None:
            raise Unavailable("mail.no_stamp", said=stamp.problem)
        return message("mail.stamped", authority=stamp.authority)

    return _report_trial("evidence.authorities", ask)


@audited("settings.try")
def try_provider(acting: Acting) -> ChangeResult[ServerTrial]:
    """Read the description and the keys of the sign-in's provider, and return what failed.

    Raises `BadInput` without a provider, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    settings = acting.product.settings.signin
    if not settings.issuer:
        raise BadInput("provider.none")

    def ask() -> Message:
        provider = find_provider(settings.issuer, fresh=True)
        for endpoint in ("authorization_endpoint", "token_endpoint"):
            provider.endpoint(endpoint)
        return message("provider.answers", issuer=provider.issuer, keys=len(provider.keys["keys"]))

    return _report_trial("signin.issuer", ask)


@audited("settings.try")
def try_backup_target(acting: Acting) -> ChangeResult[ServerTrial]:
    """Write a file into the folder for backups, which is not kept, and return what came of it.

    Raises `BadInput` without a target or if it is not there, `Forbidden`.
    """
    acting.require(Right.SETTINGS)
    folder = find_backup_target(acting.product, acting.product.settings.backup.target)

    def write() -> Message:
        if isinstance(folder, RemotePath):
            trial = folder / f"wenhen-{secrets.token_hex(8)}"
            with trial.create() as file:
                file.write(b"wenhen")
            trial.unlink()
            return message("backup.url_works", folder=folder)
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"wenhen")
        except OSError as error:
            raise Unavailable("backup.not_written", folder=folder, error=error.strerror) from error
        return message("backup.target_works", folder=folder, free=f"{shutil.disk_usage(folder).free / 10**9:,.1f}")

    return _report_trial("backup.target", write)


def _report_trial(setting: str, attempt: Callable[[], Message]) -> ChangeResult[ServerTrial]:
    """Return what came of it. The audit log holds failures as well, because each reached out to a server."""
    try:
        trial = ServerTrial(worked=True, said=attempt())
    except Unavailable as error:
        trial = ServerTrial(worked=False, said=error.message)
    return change_result(trial, AuditLine(f"setting:{setting}", new=str(trial.said)))
