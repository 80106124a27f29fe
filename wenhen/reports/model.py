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
    """The exhibit of a case that was made last. manifest: the file in it that names every other with its SHA-256."""

    id: str
    made_at: datetime
    file_digest: str
    manifest_digest: str
    manifest: bytes


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
    proof: str | None  # of the first publication
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
    same_characters: float | None  # these three are parts of the similarity; None: found before they were counted
    variants: float | None
    same_sound: float | None
    score: float
    share_of_page: float
    share_of_work: float
    longest_run: int  # characters, invisible marks aside
    copied_characters: int  # code points of the page
    copied_of_work: int  # code points of the work
    page_characters: int | None  # of which the shares are; None where the store has lost the text
    work_characters: int | None
    reasons: tuple[str, ...]
    present: bool
    work_removed: bool  # from the library: its copies are looked for no more, and `present` is what was last seen
    common: bool  # of a lead that is not present: the text is still there, but other works have it as well
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
    receipts: tuple[Receipt, ...] = ()  # what others gave for its exhibits
    exhibit: ReportedExhibit | None = None  # of reports of few cases
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A fingerprint scheme that the matches of this report rest on."""

    scheme: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over all cases of the report."""

    cases: int
    works: int
    hosts: int
    passages: int
    copied_characters: int  # code points of pages, for each case what its passages share counted once
    by_status: Mapping[str, int]
    by_level: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All of it; two reports of the same cases at the same time are equal."""

    generated_at: datetime
    holders: tuple[str, ...]
    chosen_by: Mapping[str, str]  # the filter that the cases were taken with
    cases: Sequence[CaseEntry]  # of very many, one that reads them from a file
    methods: tuple[Method, ...]
    totals: Totals
