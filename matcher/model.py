"""Define candidates, passages, levels and matches."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A work that a page may be copied from (or the reverse), as the ranking sees it."""

    owner_id: str
    owner_version: int
    hits: int
    expected: float  # hits that chance alone would give
    score: float  # calibrated probability in [0, 1]
    formulaic: float = 0.0  # share of the text that was looked up that stands in very many works
    common_at: int | None = None  # a letter of the text that very many works have, where this one shares nothing else


class Change(StrEnum):
    """What was done to a passage on the whole."""

    VERBATIM = "verbatim"
    LIGHT = "light"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One copied stretch, in code points of both texts.

    similarity, and its three parts: share of the letters of both sides that agree, in [0, 1]. *_gaps: stretches inside
    the passage, in order, that were not copied: what was replaced, put in or left out, adverts and watermarks.
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    similarity: float
    change: Change
    same_characters: float | None = None  # None: found before this was counted
    variants: float | None = None  # the same but for script and variant
    same_sound: float | None = None  # another character, or its pinyin
    page_gaps: tuple[tuple[int, int], ...] = ()
    work_gaps: tuple[tuple[int, int], ...] = ()


class CommonReason(StrEnum):
    """Why what two texts share accuses nobody."""

    FORM = "form"  # both filled in the same form
    SHARED = "shared"  # other works have it, too


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonPassage:
    """What two texts share and was left out for being common property."""

    passage: Passage
    reason: CommonReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """A sentence of a page that may tell what one of the work tells, in code points of both texts, and the words that
    both have.
    """

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
    SUSPECTED = "suspected"  # of being told anew in other words; no letter shows it


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What is known of one page against one work, or of one work against another.

    `page_id` names the text that copies (`wenhen.kit.progress.copy_id`): a page as a rule.
    """

    id: str  # `wenhen.kit.progress.match_id`
    page_id: str
    page_version: int
    work_id: str
    work_version: int
    page_fingerprints: tuple[str, ...]
    work_fingerprints: tuple[str, ...]
    hits: int
    similarity: float  # letters that agree over letters of all passages
    score: float  # probability that this is a copy
    weight: float  # of the evidence: letters that agree, less for what is common
    share_of_page: float
    share_of_work: float
    longest_run: int  # characters copied without a change, invisible marks aside
    level: Level
    reasons: tuple[str, ...]  # message keys with their figures, e.g. "share_of_page:0.83"
    passages: tuple[Passage, ...]
    matched_at: datetime
    same_characters: float | None = None  # these three are parts of the similarity, as in `Passage`
    variants: float | None = None
    same_sound: float | None = None
    also_in: tuple[str, ...] = ()  # works that hold the same text; ids
    common: tuple[CommonPassage, ...] = ()  # shared, but not counted
    retold: tuple[Retold, ...] = ()  # of the level SUSPECTED alone, which has no passages
