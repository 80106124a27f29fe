"""How a notice went out, and how it fared: whether it arrived, or came back."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.messages import Message
from store.records.cases.left_file import LeftFile


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
    files: tuple[LeftFile, ...] = ()  # beside a mail

    @property
    def delivery(self) -> DeliveryReport | None:
        """How it fared, by what was told last; of the same second, by what came last."""
        return max(reversed(self.reports), key=lambda one: one.at, default=None)
