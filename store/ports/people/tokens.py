"""The tokens that programs carry."""

from datetime import datetime
from typing import Protocol

from store.records import Token


class Tokens(Protocol):
    """The tokens that programs carry for people; a revoked one stays on record."""

    def add(self, token: Token) -> None: ...
    def get(self, id: str) -> Token: ...  # NotFound
    def all(self, *, user_id: str | None = None) -> list[Token]:
        """The newest first."""

    def revoke(self, id: str, at: datetime) -> Token:
        """With all that were made through it. NotFound."""

    def revoke_all(self, user_id: str, at: datetime) -> int:
        """Those of a user that are left; how many."""

    def used(self, id: str, at: datetime) -> None: ...
    def remove_of(self, user_id: str) -> None: ...
