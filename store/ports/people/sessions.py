"""The browsers that people are signed in with."""

from datetime import datetime
from typing import Protocol

from store.records import Session


class Sessions(Protocol):
    """The browsers that people are signed in with; taking one away signs it out at its next request."""

    def add(self, session: Session) -> None: ...
    def get(self, id: str) -> Session | None: ...
    def seen(self, id: str, at: datetime) -> None: ...
    def of(self, user_id: str) -> list[Session]:
        """The newest first."""

    def end(self, id: str) -> None: ...
    def end_all(self, user_id: str, *, but: str | None = None) -> int:
        """How many were ended."""
