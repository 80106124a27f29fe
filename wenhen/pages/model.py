"""Describe pages, filters of pages, and the statistics of their texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from crawler.capture import Capture
from wenhen.kit.errors import Message
from wenhen.kit.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A page of a text over several pages, with the addresses of its neighbours and its own text."""

    text_digest: str | None
    previous: str | None
    next: str | None
    chapter: int | None  # the number that it tells


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """What was read from a page's newest capture, as it is kept with the page."""

    text_digest: str | None
    length: int
    title: str | None
    author: str | None
    published_at: datetime | None
    charset: str | None
    note: str | None
    language: str | None = None
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One address on the web, its captures over time, and the main text of the newest one."""

    id: str
    url: str
    host: str
    site_id: str | None
    version: int  # grows when the text changes
    capture: Capture
    progress: Progress
    first_seen: datetime
    updated_at: datetime
    title: str | None = None
    author: str | None = None
    published_at: datetime | None = None
    charset: str | None = None
    text_digest: str | None = None  # None until extracted, and for a page without text
    length: int = 0
    note: str | None = None  # e.g. no text, too short to match
    captures: int = 1
    part: Part | None = None  # the text as matched stands with the first of the parts
    interval_hours: float = 24.0  # between two looks, by how often it changed
    look_at: datetime | None = None  # from when on the next look is due
    gone_at: datetime | None = None  # since when its server says that it is no longer there
    gone_reason: Message | None = None
    language: str | None = None  # of the text, a tag of BCP 47
    script: str | None = None  # of a Chinese text: simplified, traditional or mixed


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFilter:
    """Conditions that pages have to meet together; None lets every page pass."""

    host: str | None = None
    title: str | None = None  # how it begins
    charset: str | None = None
    status: int | None = None  # of the newest capture
    since: datetime | None = None  # first seen then or later
    until: datetime | None = None  # first seen before


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSeen:
    """A text of a page that was not there before. site: the watched site's id, else the host; new: the page's first."""

    site: str
    new: bool
    length: int  # characters
    language: str | None  # a tag of BCP 47
    script: str | None
    charset: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDay:
    """One day of China."""

    day: date
    new: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSite:
    """One watched site by its id, or a host that is not watched."""

    site: str
    new: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFigures:
    """The texts that came in or changed over some days. lengths: by the least of each group, in characters; the others
    by name, the most frequent first, "" where it is unknown; since: the first day that anything was counted on.
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
