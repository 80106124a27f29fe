"""The works and their versions."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from store.ports.upkeep.steps import Steps
from store.records import Step, Work, WorkDraft


class Works(Steps[Work], Protocol):
    """The works and their versions."""

    def put_all(self, drafts: Sequence[WorkDraft], *, note: str | None, step: Step) -> list[tuple[Work, str]]:
        """Store works, no two with the same id; each with "new", "changed" (a new version) or "unchanged" (same text
        and data). What people have edited stays. BadInput where one cannot be stored: then some of the others may be,
        and putting them again tells "unchanged".
        """

    def find_same_texts(self, text_digests: Collection[str]) -> list[tuple[str, str, str]]:
        """The works that have one of these texts: digest, title, id."""

    def find(
        self, *, query: str | None = None, series: str | None = None, skip: int = 0, limit: int = 50
    ) -> list[Work]: ...
    def sample(self, limit: int) -> list[Work]:
        """So many works that were not removed, the same ones in whatever order all of them came in."""

    def count(self, *, query: str | None = None, series: str | None = None, most: int | None = None) -> int:
        """How many `find` would give; most: where the counting may end."""

    def series(self, *, skip: int = 0, limit: int = 50) -> list[tuple[str, int]]:
        """The series by name, and how many works each has."""

    def count_series(self) -> int: ...
    def many(self, ids: Collection[str]) -> dict[str, Work]: ...
    def ids(self) -> Iterator[str]: ...
    def removed_ids(self) -> Iterator[str]: ...
    def remove(self, id: str, *, merged_into: str | None = None) -> Work:
        """Mark as removed with REMOVE as its next step. merged_into: the work that takes its place. NotFound."""

    def set_owner(self, old: str, new: str) -> int:
        """Give what this holder has to another, also what was removed, as people say it; how many works."""

    def edit(self, id: str, values: Mapping[str, object]) -> Work:
        """Set these fields as people say them: what is imported later leaves them. NotFound, also of a removed work."""

    def set_note(self, id: str, note: str | None) -> None: ...
    def set_notes(self, ids: Collection[str], note: str | None) -> None: ...
