"""Describe runs (crawls, re-matches and rebuilds), and captures of a page from several regions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from crawler.capture import Capture
from wenhen.kit.errors import Message
from wenhen.kit.mongo.codec import KEPT_AS
from wenhen.kit.progress import Subject


class RunKind(StrEnum):
    """The kind of a run."""

    CRAWL = "crawl"
    REMATCH = "rematch"
    REBUILD = "rebuild"


class RunState(StrEnum):
    """The current or requested state of a run that has not ended."""

    WAITING = "waiting"  # for a free crawler
    GOING = "going"
    PAUSING = "pausing"  # requested, pages that are being fetched are still stored
    PAUSED = "paused"  # until a user resumes it
    RESTING = "resting"  # during quiet hours, until `resume_at`
    STOPPING = "stopping"  # requested, or the final state of a stopped run


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """A requested address, and the address of the page to which its server redirected."""

    url: str
    page_url: str


class BreakKind(StrEnum):
    """How a crawl of a site broke."""

    NO_TEXT = "no_text"  # pages that had a text have none
    TEMPLATE = "template"  # the pages are built in another way
    LOGIN = "login"
    REFUSED = "refused"
    CAPTCHA = "captcha"
    SPIDER = "spider"  # its own spider cannot be imported, raises, or gives nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakage:
    """One way in which a crawl broke, with an example."""

    kind: BreakKind
    count: int  # pages that had a text before
    url: str  # one of them
    reason: Message | None = None
    page_id: str | None = None  # of the example, if it was ever captured
    good_at: datetime | None = None  # its last capture before the crawl


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A crawl, re-match or rebuild with its state and counts."""

    id: str
    kind: RunKind
    subject: Subject | None
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: Message | None = None
    state: RunState = RunState.GOING
    due: datetime | None = None  # scheduled time for which it was started, None if a user started it
    resume_at: datetime | None = None
    recrawl: bool = field(default=False, metadata={KEPT_AS: "looks"})  # fetches only due pages, between two crawls
    crawled_seconds: float = 0.0  # time between heartbeats without waiting, resting and pauses
    template: tuple[str, ...] = ()  # CSS classes that most of the fetched pages have
    languages: Mapping[str, int] = field(default_factory=dict)  # number of fetched pages by language tag, "" if unknown
    noticed: tuple[Message, ...] = ()  # differences from the previous run
    losses: int = 0  # how often all of its crawlers disappeared
    addresses: tuple[str, ...] = ()  # canonical URLs that a user asked for
    redirects: tuple[Redirect, ...] = ()  # of `addresses`
    breakages: tuple[Breakage, ...] = ()


class RegionalState(StrEnum):
    """The state of a capture from a region."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"  # a server answered, maybe with a refusal
    FAILED = "failed"  # no answer came


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionalCopy:
    """What a regional capture shows of the work of a case. characters: code points of its text."""

    work_id: str
    work_title: str
    case_number: int
    share_of_work: float
    passages: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionalCapture:
    """A capture of a page through the proxy of a region. The page does not change by it.

    Captures that were asked for together have the same `asked_at`, so they stand side by side.
    """

    id: str
    page_id: str
    url: str
    region: str | None  # a name of `crawler.regions`; None: as crawls fetch the page
    by: str
    asked_at: datetime
    state: RegionalState = RegionalState.WAITING
    started_at: datetime | None = None
    ended_at: datetime | None = None
    status: int | None = None  # of HTTP
    reason: Message | None = None  # why it is no page
    capture: Capture | None = None
    title: str | None = None
    text_digest: str | None = None
    length: int = 0  # characters of the text, without white space
    page_text_digest: str | None = None  # of the page's own text at that time
    share_of_page: float | None = None  # of the page's own text that stands here too; None if one of them has no text
    copies: tuple[RegionalCopy, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether it waits or runs."""
        return self.state in (RegionalState.WAITING, RegionalState.RUNNING)
