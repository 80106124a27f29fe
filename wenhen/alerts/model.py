"""Define alert rules, alerts, letters, and when letters are due."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final

from wenhen.kit.clock import CHINA
from wenhen.kit.errors import Message


class AlertEvent(StrEnum):
    """What a rule tells of a case."""

    NEW = "new"  # it opened
    ASSIGNED = "assigned"  # to the rule's owner
    ASKED = "asked"  # the owner's second opinion
    GONE = "gone"  # the copy, while it is pursued
    RETURNED = "returned"  # the copy, after its removal
    OVERDUE = "overdue"  # the deadline of its notice, or of its counter-notice, has passed
    MENTIONED = "mentioned"  # the owner, in a comment
    ANSWERED = "answered"  # its notice was answered by mail, or could not be delivered


class AlertPace(StrEnum):
    """When a rule's letters go out."""

    AT_ONCE = "at_once"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """One person's wish. Its alerts stand under the bell; with a channel they are sent as letters too.

    query: the filter as an address carries it; where: the same as the store is asked. channel: an address of Apprise,
    which holds secrets: sealed (`wenhen.kit.sealed_secrets`). told_until: up to when letters were made.
    """

    id: str
    user: str  # the name that they act under
    user_id: str | None  # None: a command, or nobody is asked to sign in
    name: str
    query: str
    where: Mapping[str, object]
    events: tuple[AlertEvent, ...]
    pace: AlertPace
    language: str  # zh or en
    created_at: datetime  # what happened before is not told
    told_until: datetime
    channel: str | None = field(default=None, repr=False)
    kind: str | None = None  # of the channel: what its address begins with
    unencrypted: bool = False  # what is sent there goes without TLS
    paused_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One thing that one rule tells, once. letter: in which it is sent, once it is put into one."""

    id: str
    rule_id: str
    user: str
    event: AlertEvent
    case_number: int
    work_title: str
    page_host: str
    at: datetime
    seen_at: datetime | None = None
    letter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """Alerts of a rule in one message, sent again until it is taken."""

    id: str
    rule_id: str
    made_at: datetime
    due: datetime | None  # the next try; None once it is taken, or nobody wants it any more
    tries: int = 0
    problem: Message | None = None  # of the last try
    taken_at: datetime | None = None


# When summaries of alerts go out: at eight in the morning of Beijing, daily, on Mondays, on the first of a month.


_SUMMARY_TIME: Final = time(8, 0)


def last_letter_time(pace: AlertPace, now: datetime) -> datetime:
    """The last moment, up to now, at which letters of this pace went out.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 5, 1, tzinfo=UTC)
    >>> [str(last_letter_time(pace, now).date()) for pace in (AlertPace.DAILY, AlertPace.WEEKLY, AlertPace.MONTHLY)]
    ['2026-03-05', '2026-03-02', '2026-03-01']
    >>> str(last_letter_time(AlertPace.MONTHLY, datetime(2026, 2, 28, 23, 59, tzinfo=UTC)).date())
    '2026-02-01'
    """
    if pace is AlertPace.AT_ONCE:
        return now
    local = now.astimezone(CHINA)
    day = (local if local.time() >= _SUMMARY_TIME else local - timedelta(days=1)).date()
    if pace is AlertPace.WEEKLY:
        day -= timedelta(days=day.weekday())
    if pace is AlertPace.MONTHLY:
        day = day.replace(day=1)
    return datetime.combine(day, _SUMMARY_TIME, CHINA)
