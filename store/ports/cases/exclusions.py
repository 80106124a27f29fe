"""What people left out of cases."""

from collections.abc import Collection
from typing import Protocol

from store.records import Exclusion


class Exclusions(Protocol):
    """What people left out of cases, each under its id."""

    def add(self, exclusion: Exclusion) -> None: ...  # Conflict: it is there already
    def get(self, id: str) -> Exclusion: ...  # NotFound
    def remove(self, id: str) -> None: ...  # NotFound
    def all(self) -> list[Exclusion]: ...
    def latest(self, most: int) -> list[Exclusion]:
        """The latest, the newest first."""

    def move(self, place: str, to: str) -> None:
        """Let what covers a place cover another instead."""

    def covering(self, places: Collection[str]) -> list[Exclusion]:
        """Those that cover any of these places (`store.rules.cases.exclusion_covers.places`), the oldest first."""
