"""Describe works, their versions and drafts, and decide when a draft makes a new version."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from wenhen.kit.progress import Progress


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
    shortest_passage: int | None = None  # letters of the shortest passage that opens a case; None: as the settings say
    origin: str | None = None  # file (and member) that it came from
    common: bool = False  # a common text: it explains what pages share with works, and accuses nobody


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
    shortest_passage: int | None = None
    origin: str | None = None
    common: bool = False  # a common text (`wenhen.common`), which no list of works shows
    note: str | None = None  # e.g. too short to match
    removed_at: datetime | None = None
    merged_into: str | None = None  # the work that it was found to be the same as, and was removed for
    versions: tuple[WorkVersion, ...] = ()
    edited: tuple[str, ...] = ()  # fields that people have set: what is imported again leaves them


# What a draft makes of the work that is stored under its id: nothing, other metadata, or another version.


METADATA_FIELDS: Final = (
    "title",
    "author",
    "owner",
    "kind",
    "series",
    "chapter",
    "url",
    "published_at",
    "proof",
    "shortest_passage",
    "origin",
)


EDITABLE_FIELDS: Final = tuple(name for name in METADATA_FIELDS if name != "origin")  # what people may set


COMMON_PREFIX: Final = "common:"  # of the ids of common texts, and of no others


def imported_fields(edited: Collection[str]) -> tuple[str, ...]:
    """The fields that a draft tells of a work of which people have set some."""
    return tuple(name for name in METADATA_FIELDS if name not in edited)


def is_unchanged(work: Work, draft: WorkDraft, text_digest: str) -> bool:
    """Whether the draft, of this text, says nothing new; a work that was removed is new again."""
    same_text = work.removed_at is None and work.text_digest == text_digest
    return same_text and all(getattr(work, name) == getattr(draft, name) for name in imported_fields(work.edited))


def is_new_version(work: Work, text_digest: str) -> bool:
    """Whether this text is a further version of the work: another than before, or any once it was removed."""
    return work.removed_at is not None or work.text_digest != text_digest
