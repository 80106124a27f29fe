"""Pages against works."""

from collections.abc import Collection
from typing import Protocol

from store.records import Match, Owner


class Matches(Protocol):
    """What is known of each page against each work."""

    def put(self, match: Match) -> None: ...
    def get(self, id: str) -> Match: ...  # NotFound
    def of_copy(self, copy: Owner) -> list[Match]:
        """Of a page with works, or of a work with works that it holds text of; the most probable copy first."""

    def of_work(self, work_id: str) -> list[Match]:
        """With all that copy a work, pages and works; the most probable copy first."""

    def remove(self, ids: Collection[str]) -> None: ...
