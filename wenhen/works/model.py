"""Describe works, their versions and drafts, and decide when a draft creates a new version."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from wenhen.kit.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDraft:
    """A work from an importer. The store adds version, digest and progress."""

    id: str
    title: str
    text: str
    author: str | None = None
    owner: str | None = None
    kind: str | None = None  # news, essay, novel ...
    series: str | None = None
    chapter: int | None = None
    url: str | None = None  # URL of the first publication
    published_at: datetime | None = None
    proof: str | None = None  # proof of first publication: number or URL of a registration or time-stamp certificate
    shortest_passage: int | None = None  # initials of the shortest passage that opens a case, None: from the settings
    origin: str | None = None  # source file, and member of an archive
    common: bool = False  # a common text, which explains shared text and accuses nobody
    unknown_fields: tuple[str, ...] = ()  # keys or columns with a value that no work has; they are told, not stored


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkVersion:
    """An earlier or the current text of a work."""

    version: int
    text_digest: str  # sha256 of the UTF-8 text, key of the blob
    length: int  # code points
    stored_at: datetime
    characters: int | None = None  # without white space; None: stored before this was counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A text whose copies are searched (母体)."""

    id: str
    title: str
    version: int
    text_digest: str
    length: int  # code points
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
    common: bool = False  # a common text (`wenhen.common`), hidden from lists of works
    note: str | None = None  # for example that it is too short to match
    removed_at: datetime | None = None
    merged_into: str | None = None  # id of the work into which it was merged when it was removed
    versions: tuple[WorkVersion, ...] = ()
    edited: tuple[str, ...] = ()  # fields edited by users, which imports keep
    characters: int | None = None  # without white space; None: stored before this was counted


# The effect of a draft on the stored work with its id: none, new metadata, or a new version.


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


EDITABLE_FIELDS: Final = tuple(name for name in METADATA_FIELDS if name != "origin")  # fields that users may edit


COMMON_PREFIX: Final = "common:"  # id prefix of common texts only


def imported_fields(edited: Collection[str]) -> tuple[str, ...]:
    """Return the metadata fields that an import sets, that is all that users have not edited."""
    return tuple(name for name in METADATA_FIELDS if name not in edited)


def is_unchanged(work: Work, draft: WorkDraft, text_digest: str) -> bool:
    """Return whether a draft with this text changes nothing. A removed work always changes."""
    same_text = work.removed_at is None and work.text_digest == text_digest
    return same_text and all(getattr(work, name) == getattr(draft, name) for name in imported_fields(work.edited))


def is_new_version(work: Work, text_digest: str) -> bool:
    """Return whether this text is a new version: it differs, or the work was removed."""
    return work.removed_at is not None or work.text_digest != text_digest
