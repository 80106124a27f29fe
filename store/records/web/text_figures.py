"""What is counted of the texts of pages, each day, as they come in and change."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date


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
