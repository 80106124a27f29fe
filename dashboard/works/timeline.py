"""What happened to a work, in order: published, registered, changed, copied, decided."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.records import Case, Work


class Happening(StrEnum):
    """The kinds of events."""

    PUBLISHED = "published"
    STORED = "stored"
    VERSION = "version"
    CASE = "case"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEvent:
    """One event; `number` is the version's, `case` the copy's."""

    at: datetime
    what: Happening
    number: int | None = None
    case: Case | None = None


def timeline(work: Work, cases: Iterable[Case]) -> list[TimelineEvent]:
    """The events of the work and of these cases, the earliest first."""
    events = [TimelineEvent(at=work.stored_at, what=Happening.STORED)]
    if work.published_at:
        events.append(TimelineEvent(at=work.published_at, what=Happening.PUBLISHED))
    events += [
        TimelineEvent(at=one.stored_at, what=Happening.VERSION, number=one.version)
        for one in work.versions
        if one.version > 1
    ]
    for case in cases:
        events.append(TimelineEvent(at=case.opened_at, what=Happening.CASE, case=case))
        if case.decided_at:
            events.append(TimelineEvent(at=case.decided_at, what=Happening.DECIDED, case=case))
    return sorted(events, key=lambda event: event.at)
