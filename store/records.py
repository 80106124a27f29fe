"""The records that travel through the product, frozen and slotted.

Times are aware datetimes in UTC. Offsets count code points of the text as stored, end exclusive.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Step(StrEnum):
    """The next thing to be done with a work or a page; its record holds it, not the queue."""

    EXTRACT = "extract"  # page only: captured bytes -> text
    FINGERPRINT = "fingerprint"
    INDEX = "index"
    LOOK_UP = "look_up"  # rank the candidates of the other side
    ALIGN = "align"  # page only: candidates -> passages -> cases
    REMOVE = "remove"  # take out of the index, then DONE
    DONE = "done"
    SET_ASIDE = "set_aside"  # the last try failed; `Progress.problem` says why


class OwnerKind(StrEnum):
    """Which side of a match a fingerprint belongs to."""

    WORK = "work"
    PAGE = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a record stands on its way, and when the sweep may queue it again."""

    step: Step
    due: datetime
    tries: int = 0
    failed_step: Step | None = None  # the step that SET_ASIDE happened in
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDraft:
    """A work as an importer hands it in; the store gives it version, number and progress."""

    id: str
    title: str
    text: str
    author: str | None = None
    owner: str | None = None
    kind: str | None = None  # news, essay, novel ...
    series: str | None = None
    chapter: int | None = None
    url: str | None = None  # where the holder published it
    published_at: datetime | None = None
    origin: str | None = None  # file (and member) that it came from


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkVersion:
    """One earlier or present text of a work."""

    version: int
    text_digest: str  # sha256 of the UTF-8 text, key of the blob
    length: int  # code points
    stored_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A text whose holder wants its copies found (母体)."""

    id: str
    title: str
    version: int
    text_digest: str
    length: int
    progress: Progress
    stored_at: datetime
    updated_at: datetime
    author: str | None = None
    owner: str | None = None
    kind: str | None = None
    series: str | None = None
    chapter: int | None = None
    url: str | None = None
    published_at: datetime | None = None
    origin: str | None = None
    note: str | None = None  # e.g. too short to match
    removed_at: datetime | None = None
    versions: tuple[WorkVersion, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One fetch of a page, as evidence: what the server sent, and what it said of it."""

    fetched_at: datetime
    url: str  # after redirects
    status: int
    headers: tuple[tuple[str, str], ...]
    body_digest: str  # sha256 of the body as received, key of the blob
    body_size: int  # bytes
    server_address: str | None = None
    problems: tuple[str, ...] = ()  # e.g. charset lied, body cut short


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One address on the web, its captures over time, and the main text of the newest one."""

    id: str
    url: str
    host: str
    site_id: str | None
    version: int  # grows when the text changes
    capture: Capture
    progress: Progress
    first_seen: datetime
    updated_at: datetime
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    charset: str | None = None
    text_digest: str | None = None  # None until extracted, and for a page without text
    length: int = 0
    note: str | None = None  # e.g. no text, too short to match
    captures: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The packed features of one segment of a text, from which the index can be rebuilt.

    A long text is cut into segments, so that positions fit 16 bits and a record fits MongoDB. `number` is what
    the index stores: unique per side, never used twice. A retired fingerprint belongs to an earlier version or a
    removed owner:
    its number counts for nothing, and its postings wait to be taken out of the index.
    """

    id: str  # kind:owner:version:segment
    kind: OwnerKind
    owner_id: str
    owner_version: int
    segment: int
    start: int  # letter index at which the segment begins
    letters: int  # letters in the segment
    number: int
    scheme: str
    parameters: Mapping[str, object]
    positions: bytes = field(repr=False)  # little-endian u16[n], letters from `start`
    values: bytes = field(repr=False)  # little-endian u64[n], the compact values that the index takes
    retired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A work that a page may be copied from (or the reverse), as the ranking sees it."""

    owner_id: str
    owner_version: int
    hits: int
    expected: float  # hits that chance alone would give
    score: float  # calibrated probability in [0, 1]


class Change(StrEnum):
    """What was done to a passage on the whole."""

    VERBATIM = "verbatim"
    LIGHT = "light"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One copied stretch, in code points of both texts."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    similarity: float  # share of letters that agree, in [0, 1]
    change: Change


class Level(StrEnum):
    """What a match amounts to."""

    VERBATIM = "verbatim"
    LIGHT = "light"
    REWRITTEN = "rewritten"
    QUOTATION = "quotation"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What is known of one page against one work."""

    id: str  # page:work
    page_id: str
    page_version: int
    work_id: str
    work_version: int
    page_fingerprints: tuple[str, ...]
    work_fingerprints: tuple[str, ...]
    hits: int
    similarity: float  # letters that agree over letters of all passages
    score: float  # probability that this is a copy
    weight: float  # of the evidence: letters that agree, less for what is common
    share_of_page: float
    share_of_work: float
    longest_run: int  # code points of the page copied without a change
    level: Level
    reasons: tuple[str, ...]  # message keys with their figures, e.g. "share_of_page:0.83"
    passages: tuple[Passage, ...]
    matched_at: datetime


class CaseStatus(StrEnum):
    """Where a case stands; people move it, the machine only opens it."""

    LEAD = "lead"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class CaseOrder(StrEnum):
    """How a list of cases is sorted."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LARGEST = "largest"  # share of the page


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
    match: Match  # the newest in which the copy was found; what the report shows
    capture: Capture  # the capture in which it was found
    page_url: str
    page_host: str
    page_title: str | None
    page_text_digest: str
    work_title: str
    work_text_digest: str
    present: bool = True  # False once a later capture or version no longer shows the copy
    licence_id: str | None = None  # an authorised reprint: shown, and marked
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A website that is watched."""

    id: str
    name: str
    start_urls: tuple[str, ...]
    hosts: tuple[str, ...]
    interval_hours: float
    max_pages: int
    max_depth: int
    added_at: datetime
    due: datetime  # the next crawl
    internal: bool = False  # may resolve to a private address
    last_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """An authorised reprint: a host or address prefix that may carry one work, or all."""

    id: str
    licensee: str
    url_prefix: str  # scheme-less: host or host/path
    work_id: str | None  # None covers every work
    valid_from: datetime | None = None
    valid_until: datetime | None = None


class RunKind(StrEnum):
    """What a run did."""

    CRAWL = "crawl"
    REMATCH = "rematch"
    REBUILD = "rebuild"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One crawl, re-match or rebuild, as people can look it up."""

    id: str
    kind: RunKind
    subject: str | None  # site id, or what was asked for
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Input that was refused or set aside, with its reason."""

    id: str
    where: str  # room: import, crawl, pipeline
    what: str  # file, address or record id
    reason: str
    at: datetime
    step: Step | None = None
    times: int = 1
