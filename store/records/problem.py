"""What was refused or set aside."""

from dataclasses import dataclass
from datetime import datetime

from store.records.progress import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Input that was refused or set aside, with its reason."""

    id: str
    where: str  # room: import, crawl, pipeline
    what: str  # file, address or record id
    reason: str
    kind: str | None = None  # class of the error, or the word that a crawl counts it by; words are found by it
    at: datetime
    step: Step | None = None
    times: int = 1
