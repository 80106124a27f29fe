"""Guesses at passwords and codes."""

from datetime import datetime, timedelta
from typing import Protocol

from store.rules.guess_delays import Slowing


class Guesses(Protocol):
    """Guesses at passwords and codes by what they are counted by; those of an hour ago are forgotten."""

    def count(self, key: str, user_id: str, now: datetime, slowing: Slowing) -> timedelta:
        """Count a guess at this user, in one write, however many come at once. How long it has to wait: nothing, and it
        may be looked at.
        """

    def take_back(self, key: str) -> None:
        """It was no guess: count one less."""

    def forget(self, key: str) -> None: ...
    def forget_all(self, user_id: str) -> None:
        """All guesses at this user."""
