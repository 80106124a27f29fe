"""What a draft makes of the work that is stored under its id: nothing, other metadata, or another version."""

from collections.abc import Collection
from typing import Final

from store.records import Work, WorkDraft

METADATA: Final = (
    "title",
    "author",
    "owner",
    "kind",
    "series",
    "chapter",
    "url",
    "published_at",
    "proof",
    "origin",
)


EDITABLE: Final = tuple(name for name in METADATA if name != "origin")  # what people may set


def told_by(edited: Collection[str]) -> tuple[str, ...]:
    """The fields that a draft tells of a work of which people have set some."""
    return tuple(name for name in METADATA if name not in edited)


def is_unchanged(work: Work, draft: WorkDraft, text_digest: str) -> bool:
    """Whether the draft, of this text, says nothing new; a work that was removed is new again."""
    same_text = work.removed_at is None and work.text_digest == text_digest
    return same_text and all(getattr(work, name) == getattr(draft, name) for name in told_by(work.edited))


def makes_version(work: Work, text_digest: str) -> bool:
    """Whether this text is a further version of the work: another than before, or any once it was removed."""
    return work.removed_at is not None or work.text_digest != text_digest
