"""A post of a thread, as its page writes it and as it stands in the page's text."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Precision(StrEnum):
    """How exactly it is known when a post was written."""

    MINUTE = "minute"
    HOUR = "hour"  # about so
    DAY = "day"  # the moment is the beginning of a day in China


@dataclass(frozen=True, slots=True)
class PostLine:
    """A line of a post. quotation: which of the post's quotations it stands in, from 0; None: in none."""

    text: str
    quotation: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a page says of one post. floor: its number in the thread, as the page tells it."""

    lines: tuple[PostLine, ...]
    author: str | None = None
    written_at: datetime | None = None
    precision: Precision | None = None  # of that
    floor: int | None = None
    quoted: tuple[str | None, ...] = ()  # by quotation, who is named as having said it


@dataclass(frozen=True, slots=True)
class Quotation:
    """Code points of a text that a post quotes. author: who is named as having said it."""

    start: int
    end: int
    author: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPost:
    """A post by its place in a text, in code points."""

    start: int
    end: int
    author: str | None
    written_at: datetime | None
    precision: Precision | None
    floor: int | None
    quotations: tuple[Quotation, ...] = ()
