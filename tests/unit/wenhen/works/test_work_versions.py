"""A draft is news by its text, by what it says of it, or because the work had been removed."""

from dataclasses import replace

from tests.support.samples import NOON, draft
from wenhen.kit.progress import Progress, Step
from wenhen.works.model import METADATA_FIELDS, Work, WorkDraft, is_new_version, is_unchanged

WORK = Work(
    id="w1",
    title="檐雨",
    version=1,
    text_digest="d1",
    length=36,
    progress=Progress(step=Step.DONE, due=NOON),
    stored_at=NOON,
    updated_at=NOON,
)


def test_the_same_again_changes_nothing() -> None:
    assert is_unchanged(WORK, draft(), "d1")
    assert not is_new_version(WORK, "d1")


def test_another_text_is_another_version() -> None:
    assert not is_unchanged(WORK, draft(), "d2")
    assert is_new_version(WORK, "d2")


def test_other_metadata_is_a_change_and_no_version() -> None:
    assert not is_unchanged(WORK, draft(author="林"), "d1")
    assert not is_new_version(WORK, "d1")


def test_a_removed_work_that_comes_again_is_a_version_of_its_own() -> None:
    removed = replace(WORK, removed_at=NOON)
    assert not is_unchanged(removed, draft(), "d1")
    assert is_new_version(removed, "d1")


def test_all_that_a_draft_says_of_its_text_is_compared() -> None:
    assert set(METADATA_FIELDS) == set(WorkDraft.__dataclass_fields__) - {
        "id",
        "text",
        "common",  # which its id says, too
        "unknown_fields",  # which are told, not stored
    }
