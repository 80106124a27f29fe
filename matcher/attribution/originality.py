"""Define the answer on originality, and the length from which a work is protected.

A shorter work is stored and marked, and no case opens for it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from matcher.model import Level, Passage

MIN_WORK_INITIALS = 20  # a quatrain, a slogan


def is_too_short(text: str, shortest: int = MIN_WORK_INITIALS) -> bool:
    """Whether a work has too few characters to be protected. shortest: initials of its shortest passage."""
    return len(text.strip()) < min(MIN_WORK_INITIALS, shortest)


def is_unprotected(segments: int, text: str, shortest: int = MIN_WORK_INITIALS) -> bool:
    """Whether no case can open for a work: it has no features (no segments), or too few characters."""
    return not segments or is_too_short(text, shortest)


class Answer(StrEnum):
    """The answer on the originality of a text."""

    PASSED = "pass"
    REFUSED = "refused"
    TOO_SHORT = "too_short"


@dataclass(frozen=True, slots=True)
class CopiedPassage:
    """One copied passage, with both texts."""

    passage: Passage  # its "page" is the checked text
    text: str
    work_text: str


@dataclass(frozen=True, slots=True)
class EarlierWork:
    """A work that the text is copied from. Shares are in [0, 1]. score is a probability."""

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
    """The answer for one text. works: its sources, the strongest first, where the answer is REFUSED."""

    answer: Answer
    works: tuple[EarlierWork, ...] = ()
