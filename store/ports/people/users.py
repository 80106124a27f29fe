"""The people who may sign in."""

from collections.abc import Mapping
from typing import Protocol

from store.records import User


class Users(Protocol):
    """The people who may sign in, by their folded name."""

    def add(self, user: User) -> None: ...  # Conflict
    def get(self, id: str) -> User: ...  # NotFound
    def all(self) -> list[User]:
        """In the order of their ids."""

    def change(self, id: str, values: Mapping[str, object]) -> User: ...  # NotFound
    def remove(self, id: str) -> None: ...  # NotFound
    def take_step(self, id: str, step: int) -> bool:
        """True once for a time step of the second factor, and never for an earlier one."""

    def take_recovery(self, id: str, digest: str) -> bool:
        """True when this recovery code was left; it is gone now."""
