"""Define webhooks, deliveries, and the payload for a case."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from wenhen.cases.model import Case
from wenhen.kit.errors import Message


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
    )  # signs what is sent, and so has to be read again: sealed (`wenhen.kit.sealed_secrets`)
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


def case_payload(case: Case) -> dict[str, object]:
    """The case as it stands, in the body of a delivery."""
    return {
        "number": case.number,
        "status": case.status,
        "assignee": case.assignee,
        "reason": case.reason,
        "decided_by": case.decided_by,
        "work_id": case.work_id,
        "work_title": case.work_title,
        "page_url": case.page_url,
        "page_host": case.page_host,
        "page_title": case.page_title,
        "level": case.match.level,
        "score": case.match.score,
        "share_of_page": case.match.share_of_page,
        "share_of_work": case.match.share_of_work,
        "present": case.present,
        "licence_id": case.licence_id,
        "opened_at": case.opened_at.isoformat(),
        "updated_at": case.updated_at.isoformat(),
    }


def case_state_digest(case: Case) -> str:
    """What has to differ for a case to have changed."""
    decided = case.decided_at.isoformat() if case.decided_at else None
    shares = f"{case.match.share_of_page:.2f} {case.match.share_of_work:.2f}"
    state = (case.status, decided, case.assignee, case.licence_id, case.present, case.match.level, shares)
    return sha256(repr(tuple(map(str, state))).encode("utf-8", "replace")).hexdigest()[:24]
