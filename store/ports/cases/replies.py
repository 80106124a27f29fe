"""The mails that came to the mailbox of notices."""

from datetime import datetime
from typing import Protocol

from store.records import Reply


class Replies(Protocol):
    """Mails by the SHA-256 of their bytes."""

    def put(self, reply: Reply) -> None: ...
    def get(self, id: str) -> Reply: ...  # NotFound
    def known(self, id: str) -> bool:
        """Whether it was taken before."""

    def waiting(self, limit: int = 100) -> list[Reply]:
        """Those that belong to no notice and were not set aside, the last to come first."""

    def assigned_since(self, at: datetime) -> list[Reply]:
        """Those that were assigned to a notice since then."""
