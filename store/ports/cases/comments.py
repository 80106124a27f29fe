"""The remarks on cases."""

from datetime import datetime
from typing import Protocol

from store.records import Comment


class Comments(Protocol):
    """The remarks on cases, each kept as it was written."""

    def add(self, case_number: int, *, by: str, text: str, at: datetime) -> Comment: ...
    def of_case(self, number: int, *, limit: int = 200) -> list[Comment]:
        """The newest, in the order in which they were written."""

    def search(self, query: str, limit: int) -> list[Comment]:
        """Those that hold all words of the query, the newest first."""
