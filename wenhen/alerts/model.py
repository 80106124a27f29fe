"""Define alert rules, alerts and letters, and when letters are due."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from enum import StrEnum
from typing import Final

from wenhen.kit.clock import CHINA
from wenhen.kit.errors import Message


class AlertEvent(StrEnum):
    """An event of a case, or of a crawl, that a rule reports."""

    NEW = "new"  # the case opened
    ASSIGNED = "assigned"  # the case was assigned to the owner of the rule
    ASKED = "asked"  # the owner was asked for a second opinion
    OPINION = "opinion"  # the second opinion was given for which the owner asked
    GONE = "gone"  # the copy is gone while it is pursued
    RETURNED = "returned"  # the copy is back after its removal
    OVERDUE = "overdue"  # the deadline of the notice or counter-notice has passed
    MENTIONED = "mentioned"  # a comment mentions the owner
    ANSWERED = "answered"  # the notice was answered by mail or could not be delivered
    BROKEN = "broken"  # the crawl of a site broke; of no case


class AlertPace(StrEnum):
    """When the letters of a rule are sent."""

    AT_ONCE = "at_once"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """An alert rule of a user. Alerts are shown as notifications, and with a channel also sent as letters.

    query: filter as URL query.
    where: the same filter as store conditions.
    channel: Apprise URL with secrets, sealed (`wenhen.kit.sealed_secrets`).
    told_until: time up to which letters were created.
    own: each person has one such rule, for what is assigned to them, asked of them, answers them or mentions them.
        Without a channel its letters go to the mail address of the person.
    """

    id: str
    user: str  # name of the owner
    user_id: str | None  # None for commands, or without sign-in
    name: str
    query: str
    where: Mapping[str, object]
    events: tuple[AlertEvent, ...]
    pace: AlertPace
    language: str  # zh or en
    created_at: datetime  # earlier events are not reported
    told_until: datetime
    channel: str | None = field(default=None, repr=False)
    kind: str | None = None  # URL scheme of the channel
    unencrypted: bool = False  # the channel does not use TLS
    paused_at: datetime | None = None
    own: bool = False


NO_LETTER: Final = "none"  # in place of a letter: the alert stands under the bell alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An event reported once by a rule. letter: id of the letter that contains it.

    A crawl that broke has no case, whose number is 0 then. It has the run, how it broke, an example, and the last good
    capture of that.
    """

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
    url: str | None = None
    run_id: str | None = None
    reason: Message | None = None
    page_id: str | None = None
    good_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message with alerts of a rule, sent again until it is accepted."""

    id: str
    rule_id: str
    made_at: datetime
    due: datetime | None  # next try; None: accepted, or no longer wanted
    tries: int = 0
    problem: Message | None = None  # error of the last try
    taken_at: datetime | None = None


# Summaries are sent at 8:00 Beijing time: daily, on Mondays, or on the first of the month.


_SUMMARY_TIME: Final = time(8, 0)


def last_letter_time(pace: AlertPace, now: datetime) -> datetime:
    """Return the last time, up to now, at which letters of this pace are sent.

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
