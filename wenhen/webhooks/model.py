"""Define webhooks, deliveries, and the payload for a case."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from wenhen.cases.model import Case
from wenhen.kit.errors import Message


class Event(StrEnum):
    """The events of webhooks."""

    CASE_NEW = "case.new"
    CASE_CHANGED = "case.changed"  # status, assignee, licence, level, share, or presence of the copy
    TEST = "test"  # sent on request


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that receives events."""

    id: str
    url: str
    secret: str = field(repr=False)  # signs calls, so it must be readable: encrypted (`wenhen.kit.sealed_secrets`)
    events: tuple[Event, ...]
    created_at: datetime  # earlier events are not sent
    paused_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event for one webhook. It is sent again until it is accepted."""

    id: str
    webhook_id: str
    event: Event
    subject: str  # case:12
    body: str  # JSON, sent as it is
    made_at: datetime
    due: datetime | None  # next try; None once it is accepted
    tries: int = 0
    tried_at: datetime | None = None
    status: int | None = None  # HTTP status of the last response
    problem: Message | None = None  # of the last try
    taken_at: datetime | None = None


def case_payload(case: Case) -> dict[str, object]:
    """Return the current case for the body of a delivery."""
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
    """Return a digest of the fields whose change is announced."""
    decided = case.decided_at.isoformat() if case.decided_at else None
    shares = f"{case.match.share_of_page:.2f} {case.match.share_of_work:.2f}"
    state = (case.status, decided, case.assignee, case.licence_id, case.present, case.match.level, shares)
    return sha256(repr(tuple(map(str, state))).encode("utf-8", "replace")).hexdigest()[:24]
