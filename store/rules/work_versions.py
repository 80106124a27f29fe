"""What a draft makes of the work that is stored under its id: nothing, other metadata, or another version."""

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


def is_unchanged(work: Work, draft: WorkDraft, text_digest: str) -> bool:
    """Whether the draft, of this text, says nothing new; a work that was removed is new again."""
    same_text = work.removed_at is None and work.text_digest == text_digest
    return same_text and all(getattr(work, name) == getattr(draft, name) for name in METADATA)


def makes_version(work: Work, text_digest: str) -> bool:
    """Whether this text is a further version of the work: another than before, or any once it was removed."""
    return work.removed_at is not None or work.text_digest != text_digest
