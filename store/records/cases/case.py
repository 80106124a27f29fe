"""Suspected piracy, and where it stands."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.records.cases.match import Match
from store.records.web.page import Capture


class CaseStatus(StrEnum):
    """Where a case stands; people move it, the machine opens it and wakes it up.

    The ways: `store.rules.cases.case_path`.
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
    """How a list of cases is sorted; what each sorts by: `store.rules.cases.case_order`."""

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
class Extent:
    """How much of the two texts was copied when a case was told to be quiet; it wakes up when there is more."""

    share_of_page: float
    share_of_work: float
    passages: int


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
