"""The audit log."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from store.records import ActingToken, AuditEntry


class Audit(Protocol):
    """Who did what, and through which token; entries are added and read, and none can be changed or removed."""

    def add_all(
        self,
        at: datetime,
        who: str,
        action: str,
        entries: Sequence[tuple[str, str | None, str | None]],
        *,
        token: ActingToken | None = None,
    ) -> None:
        """Add one entry for each subject with its old and its new value, in few writes."""

    def each(self) -> Iterator[AuditEntry]:
        """All of them, the oldest first."""

    def find(
        self,
        *,
        who: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        token: str | None = None,
        sha256: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        before: int | None = None,
        skip: int = 0,
        limit: int = 50,
    ) -> list[AuditEntry]:
        """The newest first; `since` and later, earlier than `until`, with a number below `before`. sha256: whose new
        value names a file of this digest.
        """

    def count(
        self,
        *,
        who: str | None = None,
        action: str | None = None,
        subject: str | None = None,
        token: str | None = None,
        sha256: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> int: ...
