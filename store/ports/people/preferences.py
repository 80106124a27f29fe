"""How people like the screens."""

from typing import Protocol

from store.records import Preferences


class KeptPreferences(Protocol):
    """What each person chose."""

    def get(self, user: str) -> Preferences:
        """What they chose, or how everybody begins."""

    def remove(self, user: str) -> None: ...
    def put(self, preferences: Preferences) -> None: ...
