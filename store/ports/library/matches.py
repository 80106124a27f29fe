"""Pages against works."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from store.records import Match, Owner


class Matches(Protocol):
    """What is known of each page against each work."""

    def put(self, match: Match) -> None: ...
    def put_all(self, matches: Sequence[Match], *, there: Collection[str] = ()) -> None:
        """there: ids of those that are there, as far as known."""

    def get(self, id: str) -> Match: ...  # NotFound
    def of_copy(self, copy: Owner) -> list[Match]:
        """Of a page with works, or of a work with works that it holds text of; the most probable copy first."""

    def ids_of_copies(self, copies: Collection[Owner]) -> dict[Owner, set[str]]:
        """The ids of the matches of many such texts; those without any are absent."""

    def of_work(self, work_id: str) -> list[Match]:
        """With all that copy a work, pages and works; the most probable copy first."""

    def copies(self) -> Iterator[Owner]:
        """Each text that has a match with a work."""

    def remove(self, ids: Collection[str]) -> None: ...
