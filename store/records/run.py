"""One crawl, re-match or rebuild."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


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
    subject: str | None  # site id, or what was asked for
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    problem: str | None = None
    state: RunState = RunState.GOING
    due: datetime | None = None  # the time of the schedule that it was started for; None: somebody wanted it
    resume_at: datetime | None = None
    looks: bool = False  # of a crawl: only at the pages that are due, between two crawls of their site
    losses: int = 0  # how often all of its crawlers went away without a word
