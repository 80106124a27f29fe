"""Fetch reply mails by IMAP, and assign each to its notice."""

import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from crawler.sandbox.pool import read_in_child
from wenhen.context.use_cases import Acting, AuditLine, ChangeResult, Product, audited, change_result
from wenhen.kit.clock import china_day
from wenhen.kit.errors import BadInput, Conflict, NotFound, Unavailable, Unreadable, WenhenError
from wenhen.kit.rights import Right
from wenhen.kit.size_and_time_limits import MAIL_BOUNDS, MAX_MAIL_MB
from wenhen.notices.due_tasks import note_mailbox_failed, note_mailbox_read
from wenhen.notices.mail_parser import AddressReport, ParsedMail
from wenhen.notices.model import (
    AnswerKind,
    AssignedBy,
    DeliveryReport,
    DeliveryState,
    Notice,
    NoticeAnswer,
    Reply,
    Sending,
)
from wenhen.settings.notices_and_reports import NoticeSettings

# Access to the mailbox by IMAP (RFC 9051) is read-only.


_IMAP_TIMEOUT_SECONDS: Final = 30  # timeout for the server
_MAX_ERROR_CHARACTERS: Final = 200  # characters of an error message


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in the folder.

    uid: IMAP UID.
    received_at: INTERNALDATE.
    size: bytes.
    whole: whether `content` is complete.
    """

    uid: int
    received_at: datetime
    size: int
    content: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class Mailbox:
    """An open folder.

    validity: UIDVALIDITY. UIDs are valid while it is unchanged.
    """

    validity: int
    _client: IMAPClient

    def after(self, uid: int, since: date | None) -> list[int]:
        """Return the UIDs above `uid` of mails received on or after `since`, ascending."""
        criteria: list[Any] = ["UID", f"{uid + 1}:*", *(["SINCE", since] if since else [])]
        # A range that ends in "*" always includes the last mail.
        return sorted(number for number in self._client.search(criteria) if number > uid)

    def take(self, uid: int) -> Mail | None:
        """Fetch a mail. Returns None if it was deleted meanwhile."""
        fetched = self._client.fetch([uid], ["RFC822.SIZE", "INTERNALDATE"]).get(uid)
        if fetched is None:
            return None
        size, whole = int(fetched[b"RFC822.SIZE"]), int(fetched[b"RFC822.SIZE"]) <= MAX_MAIL_MB * 2**20
        part = "BODY[]" if whole else "BODY[HEADER]"
        got = self._client.fetch([uid], [part.replace("BODY", "BODY.PEEK")]).get(uid, {})
        content = got.get(part.encode())
        return Mail(uid, fetched[b"INTERNALDATE"], size, content, whole) if content else None


@contextmanager
def open_mailbox(settings: NoticeSettings) -> Iterator[Mailbox]:
    """Open the folder from the settings. Raises `Unavailable`, also for errors inside the block."""
    host, _, port = settings.imap.rpartition(":")
    context = ssl.create_default_context()
    password = settings.imap_password.get_secret_value() if settings.imap_password else ""
    direct = settings.imap_tls == "tls"
    step = "replies.unreachable"
    try:
        with IMAPClient(
            host, int(port), ssl=direct, ssl_context=context if direct else None, timeout=_IMAP_TIMEOUT_SECONDS
        ) as client:
            client.normalise_times = False  # keep time zones
            if settings.imap_tls == "starttls":
                step = "replies.no_tls"
                client.starttls(context)
            step = "replies.no_login"
            client.login(settings.imap_user, password)
            step = "replies.no_folder"
            folder = client.select_folder(settings.imap_folder, readonly=True)
            step = "replies.no_mailbox"
            yield Mailbox(int(folder[b"UIDVALIDITY"]), client)
    except (OSError, IMAPClientError, ValueError, KeyError) as error:
        error_text = (str(error) or type(error).__name__)[:_MAX_ERROR_CHARACTERS]
        user, folder_name = settings.imap_user, settings.imap_folder
        raise Unavailable(step, server=settings.imap, user=user, folder=folder_name, said=error_text) from error


_NOTICE_NUMBER: Final = re.compile(r"(?<![\d-])20\d\d-\d{4,8}(?![\d-])")  # notice number in a subject
_MAX_CHANGE_TRIES: Final = 5  # retries after concurrent changes of the notice


@dataclass(frozen=True, slots=True)
class NoticeMatch:
    """The notice that a mail belongs to. sent: Message-ID of our mail, if the reply names it."""

    notice: Notice
    by: AssignedBy
    sent: str | None = None


def match_notice(product: Product, read: ParsedMail) -> NoticeMatch | None:
    """Match a mail to a notice by the mails it refers to, then by its subject. Returns None without a match."""
    store = product.store
    for notice in store.notices.of_mails(read.refers) if read.refers else ():
        message_ids = {sending.message_id for sending in notice.sendings}
        return NoticeMatch(notice, AssignedBy.MESSAGE_ID, next(id for id in read.refers if id in message_ids))
    for number in _NOTICE_NUMBER.findall(read.subject):
        try:
            notice = store.notices.get(number)
        except NotFound:
            continue
        if notice.sent_at is not None:
            return NoticeMatch(notice, AssignedBy.NUMBER)
    return None


def make_answer(reply: Reply, by: AssignedBy, kept_by: str) -> NoticeAnswer:
    """Return the answer for a reply mail, with the mail as its file."""
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


def add_answer(product: Product, id: str, answer: NoticeAnswer) -> AuditLine | None:
    """Add an answer to a notice unless it is already there. Returns the audit line or None.

    Raises `NotFound`, `Conflict`.
    """

    def put(notice: Notice) -> Notice | None:
        is_known = any(known.digest == answer.digest for known in notice.answers)
        return None if is_known else replace(notice, answers=(*notice.answers, answer))

    audited = {"from": answer.sender, "subject": answer.subject, "sha256": answer.digest, "by": answer.assigned_by}
    return AuditLine(f"notice:{id}", new=audited, action="notice.reply") if _change_notice(product, id, put) else None


def add_delivery_report(
    product: Product, place: NoticeMatch, mail: Mail, digest: str, address_report: AddressReport
) -> AuditLine | None:
    """Add a delivery report to the mail of a notice unless it is already there. Returns the audit line or None."""
    report = DeliveryReport(at=mail.received_at, state=address_report.state, said=address_report.said, digest=digest)

    def put(notice: Notice) -> Notice | None:
        mails = [sending.message_id for sending in notice.sendings]
        position = mails.index(place.sent) if place.sent else len(mails) - 1
        sending = notice.sendings[position]
        return (
            None
            if _has_report(sending, report)
            else _replace_sending(notice, position, replace(sending, reports=(*sending.reports, report)))
        )

    new = {"state": address_report.state, "said": address_report.said, "sha256": digest}
    done = _change_notice(product, place.notice.id, put)
    return AuditLine(f"notice:{place.notice.id}", new=new, action="notice.delivery") if done else None


def is_delivery_failed(reports: tuple[AddressReport, ...]) -> bool:
    """Return whether a delivery report says that delivery failed."""
    return any(report.state is DeliveryState.FAILED for report in reports)


def _change_notice(product: Product, id: str, put: Callable[[Notice], Notice | None]) -> bool:
    """Change a notice, with retries after concurrent changes. Returns False if nothing has to change."""
    for left in reversed(range(_MAX_CHANGE_TRIES)):
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


def _has_report(sending: Sending, report: DeliveryReport) -> bool:
    return any(
        (earlier.digest, earlier.state, earlier.said) == (report.digest, report.state, report.said)
        for earlier in sending.reports
    )


def _replace_sending(notice: Notice, position: int, sending: Sending) -> Notice:
    return replace(notice, sendings=(*notice.sendings[:position], sending, *notice.sendings[position + 1 :]))


FETCH_ACTOR: Final = "wenhen"  # user name of scheduled fetches
_FIRST_FETCH_PERIOD: Final = timedelta(days=60)  # age limit of mails in the first fetch
_MAX_MAILS_AT_ONCE: Final = 200  # mails per fetch


@dataclass(frozen=True, slots=True)
class Fetched:
    """Numbers of fetched mails: assigned to a notice, waiting for assignment, and left for the next fetch."""

    assigned: int = 0
    waiting: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class _FolderPosition:
    """The last processed UID of a folder, valid while UIDVALIDITY is unchanged."""

    product: Product
    name: str
    mailbox: Mailbox

    def new(self) -> list[int]:
        """Return the unprocessed UIDs. If UIDVALIDITY changed, return those of recent mails."""
        mark = self.product.store.marks.get(self.name) or {}
        if mark.get("validity") == self.mailbox.validity:
            return self.mailbox.after(int(str(mark["uid"])), None)
        return self.mailbox.after(0, china_day(self.product.now() - _FIRST_FETCH_PERIOD))

    def remember(self, uid: int) -> None:
        """Store this UID as the last processed one."""
        self.product.store.marks.set(self.name, {"validity": self.mailbox.validity, "uid": uid})


def is_mailbox_set(settings: NoticeSettings) -> bool:
    """Return whether a mailbox is configured."""
    return bool(settings.imap and settings.imap_user)


def fetch_due_mails(product: Product) -> None:
    """Fetch mails on schedule. The health page shows failures, because nobody watches."""
    if not is_mailbox_set(product.settings.notice):
        return
    try:
        fetch_reply_mails(Acting(product, FETCH_ACTOR, frozenset({Right.PROCEED})))
    except WenhenError as error:
        note_mailbox_failed(product, error.message)
        raise
    note_mailbox_read(product)


@audited("notice.fetch")
def fetch_reply_mails(acting: Acting) -> ChangeResult[Fetched]:
    """Fetch at most 200 new mails. No mail changes a case, because a person has to read it.

    Raises `BadInput` if no mailbox is configured, `Unavailable` if it cannot be read, `Forbidden`.
    """
    acting.require(Right.PROCEED)
    product, settings = acting.product, acting.product.settings.notice
    if not is_mailbox_set(settings):
        raise BadInput("replies.no_server")
    came: list[tuple[Reply, list[AuditLine]]] = []
    left = 0
    try:
        with open_mailbox(settings) as mailbox:
            folder = _FolderPosition(
                product, f"replies:{settings.imap_user}@{settings.imap}/{settings.imap_folder}", mailbox
            )
            uids = folder.new()
            left = len(uids)
            for uid in uids[:_MAX_MAILS_AT_ONCE]:
                mail = mailbox.take(uid)
                if mail and not product.store.replies.is_stored(digest := sha256(mail.content).hexdigest()):
                    came.append(_store_mail(product, mail, digest))
                folder.remember(uid)
                left -= 1
    except Unavailable:
        if not came:  # otherwise record the fetched mails and fetch the rest next time
            raise
    assigned = sum(reply.notice is not None for reply, _ in came)
    fetched = Fetched(assigned=assigned, waiting=len(came) - assigned, left=left)
    lines = [line for _, written in came for line in written]
    lines += (
        [AuditLine("mailbox:notices", new={"assigned": fetched.assigned, "waiting": fetched.waiting})] if came else []
    )
    return change_result(fetched, *lines)


def _store_mail(product: Product, mail: Mail, digest: str) -> tuple[Reply, list[AuditLine]]:
    """Store a mail: first its bytes, then its assignment, then the reply. An interrupted call can be repeated."""
    product.store.blobs.put(mail.content)
    parsed = _read_mail(mail)
    place = match_notice(product, parsed)
    now = product.now()
    reply = Reply(
        id=digest,
        at=mail.received_at,
        fetched_at=now,
        sent_at=parsed.sent_at,
        sender=parsed.sender,
        subject=parsed.subject,
        text=parsed.text,
        size=mail.size,
        whole=mail.whole,
        automatic=parsed.automatic,
        attachments=parsed.attachments,
        is_report=bool(parsed.told),
        failed=is_delivery_failed(parsed.told),
        notice=place.notice.id if place else None,
        assigned_at=now if place else None,
    )
    if place is None:
        lines = [AuditLine(f"reply:{digest[:12]}", new={"from": reply.sender, "sha256": digest}, action="reply.keep")]
    elif parsed.told:
        lines = list(
            filter(None, (add_delivery_report(product, place, mail, digest, report) for report in parsed.told))
        )
    else:
        lines = list(filter(None, [add_answer(product, place.notice.id, make_answer(reply, place.by, FETCH_ACTOR))]))
    product.store.replies.put(reply)
    return reply, lines


def _read_mail(mail: Mail) -> ParsedMail:
    """Parse a mail in a child process. A mail that cannot be parsed waits for a person."""
    try:
        parsed_mail: ParsedMail = read_in_child(
            "wenhen.notices.mail_parser:parse_mail", mail.content, bounds=MAIL_BOUNDS
        )
    except Unreadable as error:
        return ParsedMail(
            sender="", subject="", sent_at=None, text=str(error), refers=(), attachments=(), automatic=False, told=()
        )
    return parsed_mail
