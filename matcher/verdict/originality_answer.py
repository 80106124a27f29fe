"""What can be said of a text that is handed in as original."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.records import Level, Passage


class Answer(StrEnum):
    """What can be said of a text."""

    PASSED = "pass"
    REFUSED = "refused"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True)
class CopiedPassage:
    """One copied passage, with both texts."""

    passage: Passage  # its "page" is the text that was asked about
    text: str
    work_text: str


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """A work that the text is copied from. Shares in [0, 1]; score is a probability."""

    work_id: str
    title: str
    author: str | None
    published_at: datetime | None
    level: Level
    score: float
    share_of_text: float
    share_of_work: float
    passages: tuple[CopiedPassage, ...]


@dataclass(frozen=True, slots=True)
class Originality:
    """The answer for one text; works: what it is copied from, the strongest first, where the answer is REFUSED."""

    answer: Answer
    works: tuple[EarlierWork, ...] = ()
