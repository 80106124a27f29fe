"""A text whose holder wants its copies found."""

from dataclasses import dataclass
from datetime import datetime

from store.records.upkeep.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDraft:
    """A work as an importer hands it in; the store gives it version, number and progress."""

    id: str
    title: str
    text: str
    author: str | None = None
    owner: str | None = None
    kind: str | None = None  # news, essay, novel ...
    series: str | None = None
    chapter: int | None = None
    url: str | None = None  # where the holder published it
    published_at: datetime | None = None
    proof: str | None = None  # of first publication: a registration or time-stamp certificate, its number or address
    origin: str | None = None  # file (and member) that it came from


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkVersion:
    """One earlier or present text of a work."""

    version: int
    text_digest: str  # sha256 of the UTF-8 text, key of the blob
    length: int  # code points
    stored_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A text whose holder wants its copies found (母体)."""

    id: str
    title: str
    version: int
    text_digest: str
    length: int
    progress: Progress
    stored_at: datetime
    updated_at: datetime
    author: str | None = None
    owner: str | None = None
    kind: str | None = None
    series: str | None = None
    chapter: int | None = None
    url: str | None = None
    published_at: datetime | None = None
    proof: str | None = None
    origin: str | None = None
    note: str | None = None  # e.g. too short to match
    removed_at: datetime | None = None
    merged_into: str | None = None  # the work that it was found to be the same as, and was removed for
    versions: tuple[WorkVersion, ...] = ()
    edited: tuple[str, ...] = ()  # fields that people have set: what is imported again leaves them
