"""Describe cases, their statuses and decisions, conditions for lists, comments and saved filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypedDict

from crawler.capture import Capture
from matcher.model import Level, Match


class CaseStatus(StrEnum):
    """Where a case stands; people move it, the machine opens it and wakes it up.

    The ways: `wenhen.cases.rules`.
    """

    LEAD = "lead"
    CONFIRMED = "confirmed"
    NOTICE_SENT = "notice_sent"
    REMOVED = "removed"
    REFUSED = "refused"
    ESCALATED = "escalated"
    QUIET = "quiet"  # a lead that nobody sees until the copy grows
    DISMISSED = "dismissed"
    COUNTERED = "countered"  # they say that it is no infringement; the clock of the counter-notice runs
    COURT = "court"  # a court has taken the case
    SETTLED = "settled"
    LICENSED = "licensed"  # they took a licence after the fact
    CLOSED = "closed"  # nothing more is done
    SUSPECTED = "suspected"  # the page may be told after the work; below a lead, for a person alone to judge


class CaseOrder(StrEnum):
    """How a list of cases is sorted; what each sorts by: `wenhen.cases.rules`."""

    WORTH = "worth"  # a look
    NEWEST = "newest"
    OLDEST = "oldest"
    LARGEST = "largest"  # share of the page
    LIKELIEST = "likeliest"  # probability
    DEADLINE = "deadline"  # of the notice, the next one first


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One step of a case on its path."""

    status: CaseStatus  # to which
    at: datetime
    by: str
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawsuit:
    """Where a case is before a court, and since when."""

    court: str
    number: str  # the court's (案号)
    filed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDecision:
    """What is decided about cases: the status that they move to, who decided it, when and why.

    The dates of a notice and the lawsuit stay as they are where they are None. A quiet case becomes a lead again at
    `wakes_at`.
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
    """How much of the two texts was copied when a case was told to be quiet; it wakes up when there is more."""

    share_of_page: float
    share_of_work: float
    passages: int
    counted: bool = False  # its shares are counted without white space, as all are today


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Suspected piracy: one page that copies one work."""

    id: str  # page:work, as the match
    number: int  # for people, counts from 1
    page_id: str
    work_id: str
    status: CaseStatus
    opened_at: datetime
    updated_at: datetime
    match: Match  # the newest in which the copy was found, less what people excluded; what the report shows
    capture: Capture  # the capture in which it was found
    page_url: str
    page_host: str
    page_title: str | None
    page_text_digest: str
    work_title: str
    work_text_digest: str
    present: bool = True  # False once a later capture or version no longer shows the copy, or nobody is accused of it
    common: bool = False  # of a lead that is not present: the text is still there, but other works have it as well
    licence_id: str | None = None  # an authorised reprint: shown, and marked
    cluster_id: str | None = None  # of the page: near-duplicates share it, and lists show one row for them
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None
    history: tuple[Move, ...] = ()  # the oldest first; what was undone is not in it
    assignee: str | None = None
    notice_at: datetime | None = None  # when the notice was sent
    deadline: datetime | None = None  # by which it asks for the removal
    lawsuit: Lawsuit | None = None  # once a court has taken it
    extent: Extent | None = None  # only of a quiet case
    wakes_at: datetime | None = None  # only of a quiet case: when it is a lead again, whatever the copy does
    asked: str | None = None  # whose second opinion is asked for, until somebody decides
    found: Match | None = None  # the match with what people excluded; None where they excluded nothing of it
    credited: bool | None = (
        None  # of a licensed case: the page names its source as the licence wants; None: it wants none
    )


class CaseConditions(TypedDict, total=False):
    """All of them must hold; one that is absent or None lets every case pass."""

    status: CaseStatus | None
    host: str | None
    hosts: Sequence[str] | None  # any of these
    work_id: str | None
    page_id: str | None
    cluster_id: str | None
    level: Level | None
    copies: bool | None  # True: those that count as copies, neither dismissed nor licensed
    confirmed: bool | None  # True: those that a person has confirmed, whatever became of them since
    licensed: bool | None
    licence_id: str | None
    credited: bool | None  # False: a licensed one whose source is not named as the licence wants
    present: bool | None
    assignee: str | None  # "": nobody
    removal: bool | None  # True: gone, while it is still pursued: to be confirmed as removed
    returned: bool | None  # True: removed, and found again since
    asked: str | None  # whose second opinion is asked for
    score_from: float | None  # probability, this one included
    score_to: float | None  # this one not
    share_from: float | None  # of the page
    share_to: float | None
    since: datetime | None  # opened at this time or later
    until: datetime | None  # opened before
    text: str | None  # words of the titles or the address
    numbers: Sequence[int] | None
    below: int | None  # a number smaller than this
    above: int | None


class CaseKey(TypedDict):
    """What a list has to know of a case in order to fold it."""

    number: int
    page_id: str
    cluster_id: str | None
    page_host: str
    work_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One remark; it stays as it was written."""

    id: str
    case_number: int
    by: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFilter:
    """A filter and an order under a name, for one user."""

    id: str
    user: str
    name: str
    query: str  # as it stands in the address, without the question mark
    saved_at: datetime
