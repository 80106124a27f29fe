"""Describe cases, their statuses and decisions, conditions for lists, comments, amounts of money and saved filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from crawler.capture import Capture
from matcher.model import Level, Match


class CaseStatus(StrEnum):
    """The status of a case. Users change it. The system opens cases and reopens quiet ones.

    Allowed transitions: `wenhen.cases.rules`.
    """

    LEAD = "lead"
    CONFIRMED = "confirmed"
    NOTICE_SENT = "notice_sent"
    REMOVED = "removed"
    REFUSED = "refused"
    ESCALATED = "escalated"
    QUIET = "quiet"  # a hidden lead until the copy grows
    DISMISSED = "dismissed"
    COUNTERED = "countered"  # the infringer sent a counter-notice, and its deadline runs
    COURT = "court"  # a court has accepted the case
    SETTLED = "settled"
    LICENSED = "licensed"  # the infringer took a licence afterwards
    CLOSED = "closed"  # no further action
    SUSPECTED = "suspected"  # possible paraphrase, ranked below a lead, only judged by users


class CaseOrder(StrEnum):
    """The order of a case list. The sort fields are in `wenhen.cases.rules`."""

    WORTH = "worth"  # by priority, see `case_worth`
    NEWEST = "newest"
    OLDEST = "oldest"
    LARGEST = "largest"  # by share of the page
    LIKELIEST = "likeliest"  # by probability
    DEADLINE = "deadline"  # of the notice, earliest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A transition in the history of a case."""

    status: CaseStatus  # new status
    at: datetime
    by: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawsuit:
    """The lawsuit of a case."""

    court: str
    number: str  # case number of the court (案号)
    filed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDecision:
    """A decision about cases: the new status, the user, the time and the reason.

    None leaves the dates of a notice and the lawsuit unchanged. A quiet case becomes a lead again at `wakes_at`.
    """

    status: CaseStatus
    by: str
    at: datetime
    reason: str | None = None
    notice_at: datetime | None = None
    deadline: datetime | None = None
    wakes_at: datetime | None = None
    lawsuit: Lawsuit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much was copied when a case was set to quiet. The case reopens when this grows."""

    share_of_page: float
    share_of_work: float
    passages: int
    counted: bool = False  # shares are counted without whitespace, as in current versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """The answer to a request for a second opinion: a comment of the person asked, or a decision of anybody."""

    asked_by: str  # who is told of it
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Suspected infringement: one page that copies one work."""

    id: str  # page:work, as the match
    number: int  # number for users, counted from 1
    page_id: str
    work_id: str
    status: CaseStatus
    opened_at: datetime
    updated_at: datetime
    match: Match  # the newest match in which the copy was found, without excluded text
    capture: Capture  # the capture in which the copy was found
    page_url: str
    page_host: str
    page_title: str | None
    page_text_digest: str
    work_title: str
    work_text_digest: str
    present: bool = True  # False if a later match does not contain the copy, or it no longer accuses anyone
    common: bool = False  # of an absent lead: the text is still there, but is common to many works
    licence_id: str | None = None  # of an authorised reprint, which is shown and marked
    cluster_id: str | None = None  # cluster of near-duplicate pages, shown as one row
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None
    history: tuple[Move, ...] = ()  # oldest first, without undone decisions
    assignee: str | None = None
    assigned_at: datetime | None = None  # None in earlier versions
    assigned_by: str | None = None
    notice_at: datetime | None = None  # when the notice was sent
    deadline: datetime | None = None  # for the removal, from the notice
    lawsuit: Lawsuit | None = None  # set when a court accepts the case
    extent: Extent | None = None  # of a quiet case only
    wakes_at: datetime | None = None  # of a quiet case only: when it becomes a lead again in any case
    asked: str | None = None  # user asked for a second opinion, until the next decision
    asked_by: str | None = None  # who asked, until the next decision; None in earlier versions
    opinion: Opinion | None = None  # the newest answer to the last such request
    found: Match | None = None  # the match including excluded text, None if nothing is excluded
    credited: bool | None = (
        None  # of a licensed case: whether the page credits its source as the licence demands, None: not demanded
    )


class CaseConditions(TypedDict, total=False):
    """Conditions that must hold together. A missing or None condition matches every case."""

    status: CaseStatus | None
    host: str | None
    hosts: Sequence[str] | None  # any of these
    work_id: str | None
    work_ids: Sequence[str] | None  # any of these
    holder: str | None  # owner of the work
    page_id: str | None
    cluster_id: str | None
    level: Level | None
    copies: bool | None  # True: neither dismissed, suspected nor licensed
    confirmed: bool | None  # True: confirmed by a user, whatever the status is now
    licensed: bool | None
    licence_id: str | None
    credited: bool | None  # False: licensed, but not credited as the licence demands
    present: bool | None
    assignee: str | None  # "" means nobody
    removal: bool | None  # True: gone while pursued, removal to be confirmed
    returned: bool | None  # True: removed, and found again since
    asked: str | None  # user asked for a second opinion
    score_from: float | None  # probability, inclusive
    score_to: float | None  # exclusive
    share_from: float | None  # share of the page
    share_to: float | None
    since: datetime | None  # opening time, inclusive
    until: datetime | None  # opening time, exclusive
    text: str | None  # words of the titles or the URL
    numbers: Sequence[int] | None
    below: int | None  # exclusive bound of the case number
    above: int | None


class CaseKey(TypedDict):
    """The fields of a case that grouping needs."""

    number: int
    page_id: str
    cluster_id: str | None
    page_host: str
    work_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment on a case. Its author may correct or withdraw it for a day; the audit log keeps the earlier text."""

    id: str
    case_number: int
    by: str
    at: datetime
    text: str  # empty if it was withdrawn
    changed_at: datetime | None = None  # last correction
    withdrawn_at: datetime | None = None


class AmountKind(StrEnum):
    """What an amount of money of a case is."""

    CLAIMED = "claimed"  # demanded from the infringer: damages or a fee
    OFFERED = "offered"  # for a settlement
    AGREED = "agreed"  # in a settlement or licence
    PAID = "paid"  # by the infringer
    COST = "cost"  # spent on the case: lawyer, notary, court


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount of money of a case. Amounts are added and removed, never changed."""

    id: str
    case_number: int
    page_host: str  # of the case
    kind: AmountKind
    currency: str  # ISO 4217 code
    cents: int  # hundredths of the currency
    day: str  # in China, YYYY-MM-DD
    note: str | None
    by: str
    at: datetime

    @property
    def amount(self) -> float:
        """Return the amount in units of the currency."""
        return self.cents / 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFilter:
    """A named filter and order of a user."""

    id: str
    user: str
    name: str
    query: str  # URL query without the question mark
    saved_at: datetime
