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
