"""The notices, and the platforms that somebody has set otherwise than they come."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from store.records import Notice, Platform


class Notices(Protocol):
    """Notices by number."""

    def number(self, year: int) -> str:
        """A number that no other notice has or gets."""

    def add(self, notice: Notice) -> None:
        """Keep a new one. Conflict: its number is taken."""

    def get(self, id: str) -> Notice: ...  # NotFound
    def change(self, old: Notice, new: Notice) -> None:
        """Put the new one in place of the old. Conflict: somebody has changed it meanwhile."""

    def recent(self, *, sent: bool | None = None, limit: int = 200) -> list[Notice]:
        """The last written first."""

    def sent_to(self, platforms: Collection[str], since: datetime | None = None) -> list[Notice]:
        """All that were sent to these, after a time if it is given, the last written first."""

    def of_cases(self, numbers: Collection[int]) -> list[Notice]:
        """All that name one of these cases, the last written first."""

    def of_mails(self, message_ids: Collection[str]) -> list[Notice]:
        """Those that were sent by one of these mails."""

    def unread(self, limit: int = 200) -> list[Notice]:
        """Those with an answer by mail that nobody has read, the last written first."""

    def undelivered(self, limit: int = 200) -> list[Notice]:
        """Those of which a mail was reported as failed at some time, the last written first."""

    def unfollowed(self, before: datetime) -> list[Notice]:
        """Those whose cases should have followed since before then."""

    def followed(self, id: str) -> None:
        """Its cases have followed it."""

    def remove(self, old: Notice) -> None:
        """Forget it. Conflict: somebody has changed, or forgotten, it meanwhile."""


class Platforms(Protocol):
    """Platforms by id."""

    def put(self, platform: Platform) -> None: ...
    def all(self) -> list[Platform]: ...
    def remove(self, id: str) -> bool: ...
