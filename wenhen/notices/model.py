"""Describe notices, their deliveries and answers, the receiving platforms, and reply mails."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from wenhen.audit.model import ExportedFile
from wenhen.cases.notice_deadlines import NOTICE_TERM
from wenhen.discovery.model import ListingState, PageListing
from wenhen.kit.errors import Message


class NoticeLaw(StrEnum):
    """The law that determines the form of a notice."""

    CHINA = "china"  # 信息网络传播权保护条例 art. 14, 民法典 art. 1195
    DMCA = "dmca"  # 17 U.S.C. § 512(c)(3)(A), six elements


DEFAULT_MAIL_MEGABYTES: Final = 10  # many mail servers take no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A platform, or the operator of plain sites, with the required form of notices."""

    id: str
    name: str
    hosts: tuple[str, ...] = ()  # each includes its subdomains
    law: NoticeLaw = NoticeLaw.CHINA
    required: tuple[str, ...] = ()  # its requirements in its own words
    mail_megabytes: int | None = None  # largest mail that it takes, None: the default
    links: int | None = None  # pages per notice, None: no limit
    entry: str | None = None  # URL of its form, or the way to it in words
    mail: str | None = None  # mail address for notices
    days: int = NOTICE_TERM.days  # deadline in days
    delists: bool = False  # a search engine, which removes pages from its results but removes no copy
    engine: str | None = None  # name of a search engine in SearXNG
    source: str | None = None  # source of this information
    checked_at: datetime | None = None  # when a person last compared this with the platform, None: never


# Sendings of a notice and their delivery status.


class SentBy(StrEnum):
    """The way in which a notice was sent."""

    MAIL = "mail"  # e-mail sent by the server
    FORM = "form"  # form of the platform, filled in by a person
    POST = "post"  # letter


class DeliveryState(StrEnum):
    """The delivery status of a mail (RFC 3464, section 2.3.3)."""

    DELIVERED = "delivered"
    RELAYED = "relayed"  # to a server that reports no status
    DELAYED = "delayed"  # delivery is retried
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReport:
    """A delivery report. digest: sha256 of the report, key of the blob."""

    at: datetime
    state: DeliveryState
    said: str  # reason from the mail server
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """An attempt to deliver a notice."""

    at: datetime
    by: str
    how: SentBy
    to: str | None = None  # address of a mail or form
    message_id: str | None = None  # Message-ID of a mail
    said: str | None = None  # response of the mail server
    problem: Message | None = None  # why it was not accepted
    reports: tuple[DeliveryReport, ...] = ()
    files: tuple[ExportedFile, ...] = ()  # attachments of a mail

    @property
    def delivery(self) -> DeliveryReport | None:
        """Return the newest delivery report. Of reports of the same second, the last received counts."""
        return max(reversed(self.reports), key=lambda report: report.at, default=None)


class AnswerKind(StrEnum):
    """The meaning of an answer to a notice."""

    RECEIVED = "received"
    REMOVED = "removed"
    REFUSED = "refused"
    COUNTER_NOTICE = "counter_notice"  # 信息网络传播权保护条例 art. 16
    OTHER = "other"


class AssignedBy(StrEnum):
    """How a mail was assigned to its notice."""

    MESSAGE_ID = "message_id"  # it answers or returns our mail
    NUMBER = "number"  # its subject contains the number of the notice
    HAND = "hand"  # by a person


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeAnswer:
    """An answer to a notice. `sender` is set for mails, which a person then classifies."""

    at: datetime
    kept_by: str
    kind: AnswerKind
    text: str
    file_name: str | None = None
    digest: str | None = None  # sha256 of the file, key of the blob
    sender: str | None = None  # sender of a mail
    subject: str | None = None
    attachments: tuple[str, ...] = ()  # names, the contents are in the file
    assigned_by: AssignedBy | None = None
    automatic: bool = False  # generated automatically (RFC 3834)
    read_at: datetime | None = None
    read_by: str | None = None

    @property
    def unread(self) -> bool:
        """Return whether it is a mail that nobody has classified yet."""
        return self.sender is not None and self.read_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressState:
    """What the receiver of a notice did about one of its addresses. said: the state in its words."""

    address: str
    kind: AnswerKind
    said: str
    at: datetime
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFigures:
    """The figures of a case with the version of the work that they are about."""

    work_version: int
    share_of_work: float
    share_of_page: float
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCapture:
    """The capture of a case that a notice names, and the figures of the case then. digest: sha256 of the body."""

    case: int
    fetched_at: datetime
    digest: str
    figures: CaseFigures | None = None  # None for notices of earlier versions, whose text alone holds them


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice about copies of one holder's works, to a receiver that can remove them."""

    id: str  # year and sequence number, such as 2026-0001
    holder: str
    platform: str  # platform id
    law: NoticeLaw
    to: str  # name of the addressee
    hosts: tuple[str, ...]  # the site and its mirrors
    case_numbers: tuple[int, ...]
    text: str  # plain text as sent
    days: int  # deadline in days
    written_at: datetime
    written_by: str
    edited_at: datetime | None = None
    edited_by: str | None = None
    approved_at: datetime | None = None
    approved_by: str | None = None
    sent_at: datetime | None = None
    deadline: datetime | None = None
    sendings: tuple[Sending, ...] = ()
    answers: tuple[NoticeAnswer, ...] = ()
    follows_since: datetime | None = None  # time of sending, while its cases still have to be updated
    listings: tuple[PageListing, ...] = ()  # search results for its pages, if sent to a search engine
    previous: tuple[str, ...] = ()  # numbers of earlier notices about the same copies, named in the text
    named: tuple[NamedCapture, ...] = ()  # empty for notices of earlier versions
    address_states: tuple[AddressState, ...] = ()  # read from files of the receiver

    @property
    def is_delisted(self) -> bool:
        """Return whether all pages were checked, none is listed any more, and at least one was delisted."""
        states = {listing.state for listing in self.listings}
        whole = {listing.case for listing in self.listings} == set(self.case_numbers)
        return whole and ListingState.LISTED not in states and ListingState.DELISTED in states

    @property
    def is_undelivered(self) -> bool:
        """Return whether the last accepted mail bounced, so that the notice has to be sent again."""
        taken = [sending for sending in self.sendings if sending.problem is None]
        last = taken[-1].delivery if taken else None
        return last is not None and last.state is DeliveryState.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply mail. It is assigned to a notice, waits for assignment, or is dismissed.

    id: sha256 of its bytes, key of the blob.
    sent_at: Date header.
    at: time of receipt by the mail server.
    """

    id: str
    at: datetime
    fetched_at: datetime
    sent_at: datetime | None
    sender: str
    subject: str
    text: str
    size: int  # bytes
    whole: bool = True  # False if only the head of an oversized mail is stored
    automatic: bool = False
    attachments: tuple[str, ...] = ()
    is_report: bool = False  # whether it is a delivery report
    failed: bool = False  # whether it reports a failed delivery
    notice: str | None = None
    assigned_at: datetime | None = None
    set_aside_at: datetime | None = None
    set_aside_by: str | None = None
