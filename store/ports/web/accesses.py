"""How the sites are reached: sessions and proxies."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.records import Access, Cookie


class Accesses(Protocol):
    """How the sites are reached, by the id of the site."""

    def get(self, id: str) -> Access:
        """An empty one where nothing is known."""

    def all(self) -> list[Access]: ...
    def set_cookies(self, id: str, cookies: Sequence[Cookie], at: datetime) -> None:
        """In place of the cookies before; none at all ends the session."""

    def set_proxies(self, id: str, proxies: Sequence[str], at: datetime) -> None: ...
    def remove(self, id: str) -> None:
        """Forget it; nothing happens where nothing is known."""
