"""Describe runs: crawls, re-matches and rebuilds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from wenhen.kit.errors import Message
from wenhen.kit.mongo.codec import KEPT_AS
from wenhen.kit.progress import Subject


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
