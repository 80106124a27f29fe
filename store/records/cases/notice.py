"""A notice as it was written, sent and answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.records.cases.notice_delivery import DeliveryState, Sending
from store.records.cases.platform import NoticeLaw
from store.records.web.listing import ListingState, PageListing


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

    @property
    def delisted(self) -> bool:
        """Whether the search engine leads to none of its pages any more, and led to one."""
        states = {one.state for one in self.listings}
        whole = {one.case for one in self.listings} == set(self.case_numbers)
        return whole and ListingState.LISTED not in states and ListingState.DELISTED in states

    @property
    def undelivered(self) -> bool:
        """Whether the last mail that was taken came back, so that it has to be sent again."""
        taken = [one for one in self.sendings if one.problem is None]
        last = taken[-1].delivery if taken else None
        return last is not None and last.state is DeliveryState.FAILED
