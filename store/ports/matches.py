"""Pages against works."""

from collections.abc import Collection
from typing import Protocol

from store.records import Match


class Matches(Protocol):
    """What is known of each page against each work."""

    def put(self, match: Match) -> None: ...
    def get(self, id: str) -> Match: ...  # NotFound
    def of_page(self, page_id: str) -> list[Match]: ...
    def of_work(self, work_id: str) -> list[Match]: ...
    def remove(self, ids: Collection[str]) -> None: ...
