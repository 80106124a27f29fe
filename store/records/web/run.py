"""One crawl, re-match or rebuild, and what it was of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from store.messages import Message

_BATCH: Final = "discovered:"  # before the id, where a batch is named beside sites and addresses
KEPT_AS: Final = "kept_as"  # in the metadata of a field: its name in the store, where that is another


class RunKind(StrEnum):
    """What a run did."""

    CRAWL = "crawl"
    REMATCH = "rematch"
    REBUILD = "rebuild"


class RunState(StrEnum):
    """What a run that has not ended does, or is to do."""

    WAITING = "waiting"  # for a crawler
    GOING = "going"
    PAUSING = "pausing"  # asked for; what is being fetched is still stored
    PAUSED = "paused"  # until somebody resumes it
    RESTING = "resting"  # in quiet hours, until `resume_at`
    STOPPING = "stopping"  # asked for; a run that ended so was stopped


class SubjectKind(StrEnum):
    """What a run can be of."""

    SITE = "site"  # one that is watched
    ADDRESS = "address"  # one that somebody asked for
    BATCH = "batch"  # addresses of a search that were accepted together
    INDEX = "index"  # of a rebuild


@dataclass(frozen=True, slots=True)
class Subject:
    """What a run was of. id: of the site, the batch or the index; the address itself.

    >>> Subject.read("discovered:7f3a")
    Subject(kind=<SubjectKind.BATCH: 'batch'>, id='7f3a')
    >>> Subject.read("http://a.test/").kind.value, Subject.read("a.test").kind.value
    ('address', 'site')
    """

    kind: SubjectKind
    id: str

    @classmethod
    def read(cls, text: str) -> Self:
        """The site, address or batch that people, programs and the store name so."""
        if text.startswith(_BATCH):
            return cls(SubjectKind.BATCH, text.removeprefix(_BATCH))
        return cls(SubjectKind.ADDRESS if text.startswith(("http://", "https://")) else SubjectKind.SITE, text)

    def __str__(self) -> str:
        """As `read` takes it; an index by its name alone."""
        return f"{_BATCH}{self.id}" if self.kind is SubjectKind.BATCH else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One crawl, re-match or rebuild, as people can look it up."""

    id: str
    kind: RunKind
    subject: Subject | None
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: Message | None = None
    state: RunState = RunState.GOING
    due: datetime | None = None  # the time of the schedule that it was started for; None: somebody wanted it
    resume_at: datetime | None = None
    recrawl: bool = field(default=False, metadata={KEPT_AS: "looks"})  # of the pages that are due, between two crawls
    crawled_seconds: float = 0.0  # between its signs of life: what is left of its time it waited, rested or was paused
    template: tuple[str, ...] = ()  # names of classes that most of the pages fetched have
    languages: Mapping[str, int] = field(default_factory=dict)  # of the pages fetched; "" for those that tell none
    noticed: tuple[Message, ...] = ()  # what is another than in the run before
    losses: int = 0  # how often all of its crawlers went away without a word
