"""Describe marked texts, their copies, and what was read from a suspect's text."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from matcher.model import TracedCopy


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text of which marked copies exist. id: from its characters and the kinds of marks."""

    id: str
    title: str
    characters: int
    places: int  # at which the copies differ
    kinds: tuple[str, ...]  # of `matcher.marking.choices.MarkKind`
    sealed: str = field(repr=False)  # the secret, the text and its places; empty in lists
    made_at: datetime
    made_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedCopy:
    """One copy. id: from its text and its recipient, so that a recipient has one copy of a text."""

    id: str
    text_id: str
    recipient: str
    sha256: str  # of the copy in UTF-8
    made_at: datetime
    made_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedCopy:
    """A marked copy from which the text of a case stems. chance: that any uninvolved copy agrees so well."""

    recipient: str
    sha256: str  # of the copy in UTF-8
    agreeing: int
    places: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkStatement:
    """What exhibits and reports of a case may say of marked copies, because the rights holder allowed it.

    id: the number of the case, as text.
    """

    id: str
    text_id: str
    title: str  # of the marked text
    page_text_sha256: str  # of the text that was read
    read: int  # places that it has
    copies: tuple[StatedCopy, ...]
    word: str  # of the holder: who allowed it, and when
    allowed_by: str
    allowed_at: datetime


class WrittenCopy(NamedTuple):
    """A copy with its text, which is not stored."""

    copy: MarkedCopy
    text: str


@dataclass(frozen=True, slots=True)
class TracedText:
    """What a suspect's text tells of the copies of one marked text.

    read: places that it has. copies: likeliest first, each with its recipient as `copy`.
    """

    text: MarkedText
    read: int
    copies: tuple[TracedCopy, ...]

    @property
    def named_copies(self) -> tuple[TracedCopy, ...]:
        """Return the copies from which the suspect's text stems."""
        return tuple(copy for copy in self.copies if copy.is_named)
