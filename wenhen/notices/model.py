"""Describe notices, their deliveries and answers, the platforms they go to, and reply mails."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from wenhen.audit.model import ExportedFile
from wenhen.discovery.model import ListingState, PageListing
from wenhen.kit.errors import Message


class NoticeLaw(StrEnum):
    """The law that gives a notice its shape."""

    CHINA = "china"  # 信息网络传播权保护条例 art. 14, 民法典 art. 1195
    DMCA = "dmca"  # 17 U.S.C. § 512(c)(3)(A): six elements


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A platform, or what runs plain sites: the form of its notices, and when somebody last looked that it is so."""

    id: str
    name: str
    hosts: tuple[str, ...] = ()  # each with the hosts below it
    law: NoticeLaw = NoticeLaw.CHINA
    required: tuple[str, ...] = ()  # what it wants to have, in its own words
    links: int | None = None  # the most pages of one notice; None: as many as there are
    entry: str | None = None  # where its form is: an address, or the way to it in words
    mail: str | None = None  # address that takes notices
    days: int = 7  # that a notice gives
    delists: bool = False  # a search engine: it takes pages out of its results, and removes no copy
    engine: str | None = None  # of a search engine: what SearXNG calls it
    source: str | None = None  # where this was read
    checked_at: datetime | None = None  # when a person last compared it with what the platform says; None: never


# How a notice went out, and how it fared: whether it arrived, or came back.


class SentBy(StrEnum):
    """The way on which a notice went out."""

    MAIL = "mail"  # e-mail, sent by the server
    FORM = "form"  # the platform's form, filled in by a person
    POST = "post"  # a letter


class DeliveryState(StrEnum):
    """How a mail fared, as a mail server told later (RFC 3464, section 2.3.3)."""

    DELIVERED = "delivered"
    RELAYED = "relayed"  # to a server that tells nothing more
    DELAYED = "delayed"  # it is tried again
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryReport:
    """What a mail server told of a mail. digest: sha256 of its report as it came, key of the blob."""

    at: datetime
    state: DeliveryState
    said: str  # its reason, in its words
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """One try to deliver a notice."""

    at: datetime
    by: str
    how: SentBy
    to: str | None = None  # address of a mail, or of a form
    message_id: str | None = None  # of a mail
    said: str | None = None  # what the mail server answered
    problem: Message | None = None  # why it was not taken
    reports: tuple[DeliveryReport, ...] = ()
    files: tuple[ExportedFile, ...] = ()  # beside a mail

    @property
    def delivery(self) -> DeliveryReport | None:
        """How it fared, by what was told last; of the same second, by what came last."""
        return max(reversed(self.reports), key=lambda one: one.at, default=None)


class AnswerKind(StrEnum):
    """What an answer to a notice says."""

    RECEIVED = "received"
    REMOVED = "removed"
    REFUSED = "refused"
    COUNTER_NOTICE = "counter_notice"  # 信息网络传播权保护条例 art. 16
    OTHER = "other"


class AssignedBy(StrEnum):
    """What shows to which notice a mail belongs."""

    MESSAGE_ID = "message_id"  # it answers, or returns, the mail that we sent
    NUMBER = "number"  # its subject names the notice
    HAND = "hand"  # a person said so


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeAnswer:
    """What came back. That of a mail says so in `sender`; who read it then says what it amounts to."""

    at: datetime
    kept_by: str
    kind: AnswerKind
    text: str
    file_name: str | None = None
    digest: str | None = None  # sha256 of the file, key of the blob
    sender: str | None = None  # of a mail
    subject: str | None = None
    attachments: tuple[str, ...] = ()  # their names; they stand in the file
    assigned_by: AssignedBy | None = None
    automatic: bool = False  # nobody wrote it (RFC 3834)
    read_at: datetime | None = None
    read_by: str | None = None

    @property
    def unread(self) -> bool:
        """Whether it came by mail and nobody has said what it amounts to."""
        return self.sender is not None and self.read_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCapture:
    """The capture that a notice names of a case. digest: sha256 of what was received."""

    case: int
    fetched_at: datetime
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A letter about copies of one holder's works, to whoever can remove them."""

    id: str  # its number: year and count, 2026-0001
    holder: str
    platform: str  # id
    law: NoticeLaw
    to: str  # whom it addresses, in words
    hosts: tuple[str, ...]  # the site with its mirrors
    case_numbers: tuple[int, ...]
    text: str  # as it is sent, plain
    days: int  # that it gives
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
    follows_since: datetime | None = None  # it went out then, and its cases have still to follow
    listings: tuple[PageListing, ...] = ()  # to a search engine: its pages among the results
    previous: tuple[str, ...] = ()  # numbers of earlier notices about the same copies, which it names
    named: tuple[NamedCapture, ...] = ()  # of notices since this is kept

    @property
    def delisted(self) -> bool:
        """Whether the search engine leads to none of its pages any more, and led to one."""
        states = {listing.state for listing in self.listings}
        whole = {listing.case for listing in self.listings} == set(self.case_numbers)
        return whole and ListingState.LISTED not in states and ListingState.DELISTED in states

    @property
    def undelivered(self) -> bool:
        """Whether the last mail that was taken came back, so that it has to be sent again."""
        taken = [sending for sending in self.sendings if sending.problem is None]
        last = taken[-1].delivery if taken else None
        return last is not None and last.state is DeliveryState.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One mail. It belongs to a notice, waits for somebody who knows to which, or was set aside as of none.

    id: sha256 of its bytes, under which they are kept. sent_at: as the mail itself says; at: when the mail server had
    it.
    """

    id: str
    at: datetime
    fetched_at: datetime
    sent_at: datetime | None
    sender: str
    subject: str
    text: str
    size: int  # bytes
    whole: bool = True  # only the head of one that is too large is kept
    automatic: bool = False
    attachments: tuple[str, ...] = ()
    is_report: bool = False  # of a mail server, on how a notice fared
    failed: bool = False  # it says that a notice could not be delivered
    notice: str | None = None
    assigned_at: datetime | None = None
    set_aside_at: datetime | None = None
    set_aside_by: str | None = None
