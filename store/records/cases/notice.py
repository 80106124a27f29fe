"""A notice as it was written, sent and answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.messages import Message
from store.records.cases.platform import NoticeLaw
from store.records.web.listing import ListingState, PageListing


class SentBy(StrEnum):
    """The way on which a notice went out."""

    MAIL = "mail"  # e-mail, sent by the server
    FORM = "form"  # the platform's form, filled in by a person
    POST = "post"  # a letter


class AnswerKind(StrEnum):
    """What an answer to a notice says."""

    RECEIVED = "received"
    REMOVED = "removed"
    REFUSED = "refused"
    COUNTER_NOTICE = "counter_notice"  # 信息网络传播权保护条例 art. 16
    OTHER = "other"


class DeliveryState(StrEnum):
    """How a mail fared, as a mail server told later (RFC 3464, section 2.3.3)."""

    DELIVERED = "delivered"
    RELAYED = "relayed"  # to a server that tells nothing more
    DELAYED = "delayed"  # it is tried again
    FAILED = "failed"


class AssignedBy(StrEnum):
    """What shows to which notice a mail belongs."""

    MESSAGE_ID = "message_id"  # it answers, or returns, the mail that we sent
    NUMBER = "number"  # its subject names the notice
    HAND = "hand"  # a person said so


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

    @property
    def delivery(self) -> DeliveryReport | None:
        """How it fared, by what was told last; of the same second, by what came last."""
        return max(reversed(self.reports), key=lambda one: one.at, default=None)


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
    listings: tuple[PageListing, ...] = ()  # to a search engine: its pages among the results

    @property
    def delisted(self) -> bool:
        """Whether the search engine leads to none of its pages any more, and led to one."""
        states = {one.state for one in self.listings}
        whole = {one.case for one in self.listings} == set(self.case_numbers)
        return whole and ListingState.LISTED not in states and ListingState.DELISTED in states

    @property
    def undelivered(self) -> bool:
        """Whether the last mail came back, so that it has to be sent again."""
        last = self.sendings[-1].delivery if self.sendings else None
        return last is not None and last.state is DeliveryState.FAILED
