"""Describe pages, filters of pages, and the statistics of their texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, NamedTuple

from crawler.capture import Capture
from wenhen.kit.errors import Message
from wenhen.kit.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a multi-page text, with the URLs of its neighbours and the digest of its own text."""

    text_digest: str | None
    previous: str | None
    next: str | None
    chapter: int | None  # the chapter number on the page


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """The fields of a page that extraction sets."""

    text_digest: str | None
    length: int
    title: str | None
    author: str | None
    published_at: datetime | None
    charset: str | None
    note: str | None
    language: str | None = None
    script: str | None = None
    characters: int | None = None  # without white space


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A URL, its captures over time, and the main text of the newest capture."""

    id: str
    url: str
    host: str
    site_id: str | None
    version: int  # incremented when the text changes
    capture: Capture
    progress: Progress
    first_seen: datetime
    updated_at: datetime
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    charset: str | None = None
    text_digest: str | None = None  # None before extraction and for a page without text
    length: int = 0  # code points
    note: str | None = None  # for example that it has no text, or too little to match
    captures: int = 1
    part: Part | None = None  # the first part stores the joined text
    interval_hours: float = 24.0  # between two recrawls, adapted to how often the page changes
    look_at: datetime | None = None  # when the next recrawl is due
    gone_at: datetime | None = None  # when the server first reported that it is gone
    gone_reason: Message | None = None
    language: str | None = None  # BCP 47 tag of the text
    script: str | None = None  # of a Chinese text: simplified, traditional or mixed
    characters: int | None = None  # without white space; None: extracted before this was counted


NO_TEXT_NOTE: Final = "no_text"  # of a page without a text


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Conditions that a page must meet together. None matches every page."""

    host: str | None = None
    title: str | None = None  # prefix
    charset: str | None = None
    status: int | None = None  # HTTP status of the newest capture
    since: datetime | None = None  # inclusive, by first capture
    until: datetime | None = None  # exclusive, by first capture


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSeen:
    """A new or changed text of a page.

    site: id of the watched site, or the host.
    new: whether it is the first text of the page.
    """

    site: str
    new: bool
    length: int  # characters
    language: str | None  # BCP 47 tag
    script: str | None
    charset: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDay:
    """Numbers of new and changed texts of one day in China."""

    day: date
    new: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSite:
    """Numbers of new and changed texts of one watched site (by id) or one unwatched host."""

    site: str
    new: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFigures:
    """Statistics of the texts that are new or changed within some days.

    since: the first day with any count.
    lengths: counts by the lower bound of each group, in characters.
    languages, scripts, charsets: counts by name, most frequent first. "" means unknown.
    """

    since: date | None
    new: int
    changed: int
    days: list[TextDay]
    sites: list[TextSite]
    lengths: Mapping[int, int]
    languages: Mapping[str, int]
    scripts: Mapping[str, int]
    charsets: Mapping[str, int]


class LearnedLines(NamedTuple):
    """Result of counting the lines of several pages of a host.

    new: for each page whether it was counted.
    pages: number of counted pages of the host after the call.
    counts: page counts of the lines after the call.
    """

    new: list[bool]
    pages: int
    counts: Mapping[str, int]
