"""Describe the infringement report: its cases, exhibits, methods and totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crawler.capture import Capture
from matcher.model import Level
from wenhen.cases.model import CaseStatus
from wenhen.cases.passages import PassageQuote
from wenhen.evidence.model import Receipt
from wenhen.licences.model import Licence


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedExhibit:
    """The newest exhibit of a case. manifest: the member that lists the SHA-256 of all others."""

    id: str
    made_at: datetime
    file_digest: str
    manifest_digest: str
    manifest: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRegion:
    """What the page of a case showed in a region. region: None for the usual way of crawls."""

    region: str | None
    url: str
    fetched_at: datetime
    status: int
    reason: str | None  # why it is no page
    title: str | None
    body_sha256: str
    text_sha256: str | None
    share_of_page: float | None  # of the page's own text
    share_of_work: float  # of the work that it copies


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedMark:
    """A marked copy from which the page's text stems. It is reported only where the rights holder allowed it."""

    title: str  # of the marked text
    recipient: str
    copy_sha256: str
    agreeing: int
    places: int
    chance: float  # that any uninvolved copy agrees so well
    page_text_sha256: str  # of the text that was read
    allowed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseEntry:
    """One page that copies one work."""

    number: int
    id: str
    status: CaseStatus
    work_id: str
    work_title: str
    author: str | None
    holder: str | None
    work_url: str | None
    first_published: datetime | None
    proof: str | None  # of first publication
    work_stored: datetime | None
    work_version: int
    work_text_sha256: str
    page_id: str
    page_url: str
    page_title: str | None
    page_host: str
    page_text_sha256: str
    level: Level
    similarity: float
    same_characters: float | None  # these three are components of the similarity; None for old matches without them
    variants: float | None
    same_sound: float | None
    score: float
    share_of_page: float
    share_of_work: float
    longest_run: int  # characters, without invisible ones
    copied_characters: int  # code points in the page
    copied_of_work: int  # code points in the work
    page_characters: int | None  # base of the shares; None if the text is lost
    work_characters: int | None
    reasons: tuple[str, ...]
    present: bool
    work_removed: bool  # no longer searched, so `present` is the last known state
    common: bool  # of an absent lead: the text is still there, but common to other works
    licence: Licence | None
    credited: bool | None  # as in `Case`
    assignee: str | None
    notice_at: datetime | None
    deadline: datetime | None
    opened_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    decision: str | None
    capture: Capture
    passages: tuple[PassageQuote, ...]
    receipts: tuple[Receipt, ...] = ()  # from third parties, for its exhibits
    regions: tuple[ReportedRegion, ...] = ()  # oldest first
    marked_copies: tuple[ReportedMark, ...] = ()
    exhibit: ReportedExhibit | None = None  # in reports of few cases only
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A fingerprint scheme used by the matches of this report."""

    scheme: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Totals over all cases of the report."""

    cases: int
    works: int
    hosts: int
    passages: int
    copied_characters: int  # code points of pages, overlaps within a case counted once
    by_status: Mapping[str, int]
    by_level: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole report. Reports of the same cases at the same time are equal."""

    generated_at: datetime
    holders: tuple[str, ...]
    chosen_by: Mapping[str, str]  # conditions of the selection
    cases: Sequence[CaseEntry]  # for very many cases backed by a file
    methods: tuple[Method, ...]
    totals: Totals
