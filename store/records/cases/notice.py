"""A notice as it was written, sent and answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.messages import Message
from store.records.cases.platform import NoticeLaw


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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeAnswer:
    """What came back."""

    at: datetime
    kept_by: str
    kind: AnswerKind
    text: str
    file_name: str | None = None
    digest: str | None = None  # sha256 of the file, key of the blob


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
