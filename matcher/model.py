"""Define candidates, passages, levels, matches, the answer on originality, and the copies that a text is traced to.

A work is protected from a length. A shorter one is stored and marked, and no case opens for it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

# Letters of the shortest passage that is no quotation: what a user may set, and the usual number.
MIN_SHORTEST_PASSAGE, DEFAULT_SHORTEST_PASSAGE, MAX_SHORTEST_PASSAGE = 8, 40, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A work that a page may copy, or the reverse, as the ranking sees it."""

    owner_id: str
    owner_version: int
    hits: int
    expected: float  # hits by chance
    score: float  # calibrated probability in [0, 1]
    formulaic: float = 0.0  # share of the looked-up text that is in very many works
    common_at: int | None = None  # an initial of text of very many works, if the work shares only such text


class Change(StrEnum):
    """How a passage was changed on the whole."""

    VERBATIM = "verbatim"
    LIGHT = "light"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One copied span, in code points of both texts.

    similarity, and its three parts: share of the agreeing initials of both sides, in [0, 1]. *_gaps: spans inside the
    passage, in order, that were not copied: replacements, insertions, omissions, adverts and watermarks.
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    similarity: float
    change: Change
    same_characters: float | None = None  # None: matched before this was counted
    variants: float | None = None  # same characters in another script or variant
    same_sound: float | None = None  # another character, or pinyin
    page_gaps: tuple[tuple[int, int], ...] = ()
    work_gaps: tuple[tuple[int, int], ...] = ()
    page_characters: int | None = None  # copied, without white space; None: matched before this was counted
    work_characters: int | None = None


class CommonReason(StrEnum):
    """Why shared text accuses nobody."""

    FORM = "form"  # both filled in the same form
    SHARED = "shared"  # other works have it too
    TEXT = "text"  # a registered common text explains it


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonPassage:
    """Shared text that was removed as common text. text_id, title: of the common text that explains it."""

    passage: Passage
    reason: CommonReason
    text_id: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """A sentence of a page that may paraphrase one of the work, in code points of both texts, and the shared words."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    words: tuple[str, ...]


class Level(StrEnum):
    """What a match amounts to."""

    VERBATIM = "verbatim"
    LIGHT = "light"
    REWRITTEN = "rewritten"
    QUOTATION = "quotation"
    TOO_SHORT = "too_short"
    SUSPECTED = "suspected"  # may be a paraphrase, without shared initials


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What is known of one page against one work, or of one work against another.

    `page_id` names the text that copies (`wenhen.kit.progress.copy_id`), usually a page.
    """

    id: str  # `wenhen.kit.progress.match_id`
    page_id: str
    page_version: int
    work_id: str
    work_version: int
    page_fingerprints: tuple[str, ...]
    work_fingerprints: tuple[str, ...]
    hits: int
    similarity: float  # agreeing initials over initials of all passages
    score: float  # probability that this is a copy
    weight: float  # of the evidence: agreeing initials, less for common text
    share_of_page: float
    share_of_work: float
    longest_run: int  # unchanged characters, without invisible marks
    level: Level
    reasons: tuple[str, ...]  # message keys with their figures, e.g. "share_of_page:0.83"
    passages: tuple[Passage, ...]
    matched_at: datetime
    same_characters: float | None = None  # these three are the parts of the similarity, as in `Passage`
    variants: float | None = None
    same_sound: float | None = None
    copied_of_page: int | None = None  # characters, without white space; None: matched before this was counted
    copied_of_work: int | None = None
    also_in: tuple[str, ...] = ()  # ids of works with the same text
    common: tuple[CommonPassage, ...] = ()  # shared, but not counted
    retold: tuple[Retold, ...] = ()  # only for the level SUSPECTED, which has no passages


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


MAX_FALSE_NAMING: Final = 1e-6  # highest chance, over all copies of a text, that a named copy is uninvolved


class TracedCopy(NamedTuple):
    """How well a copy agrees. chance: that any of the uninvolved copies agrees so well."""

    copy: str
    agreeing: int
    places: int
    chance: float

    @property
    def is_named(self) -> bool:
        """Return whether the text is said to stem from this copy."""
        return self.chance <= MAX_FALSE_NAMING
