"""The filters that people saved."""

from datetime import datetime
from typing import Protocol

from store.records import SavedFilter


class Filters(Protocol):
    """The filters that people saved, each for himself."""

    def put(self, user: str, name: str, query: str, at: datetime) -> SavedFilter:
        """Save it under the name; one that the user saved under this name before is replaced."""

    def of_user(self, user: str) -> list[SavedFilter]:
        """In the order of their names."""

    def remove_of(self, user: str) -> None: ...
    def remove(self, id: str, user: str) -> bool:
        """False where the user has none with this id."""
