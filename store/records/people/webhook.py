"""Who is told of cases, and what they were told."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from store.messages import Message


class Event(StrEnum):
    """What a webhook can be told of."""

    CASE_NEW = "case.new"
    CASE_CHANGED = "case.changed"  # its status, assignee, licence, level or share, or whether the copy is still there
    TEST = "test"  # sent when somebody asks for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that is told."""

    id: str
    url: str
    secret: str = field(
        repr=False
    )  # signs what is sent, and so has to be read again: sealed (`services.sealed_secrets`)
    events: tuple[Event, ...]
    created_at: datetime  # what happened before is not told
    paused_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One thing that one webhook is told; it is sent again until it is taken."""

    id: str
    webhook_id: str
    event: Event
    subject: str  # case:12
    body: str  # JSON, sent as it stands here
    made_at: datetime
    due: datetime | None  # the next try; None once it is taken
    tries: int = 0
    tried_at: datetime | None = None
    status: int | None = None  # HTTP, of the last answer
    problem: Message | None = None  # of the last try
    taken_at: datetime | None = None
