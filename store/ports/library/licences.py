"""The authorised reprints."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.records import Licence


class Licences(Protocol):
    """The authorised reprints."""

    def put(self, licence: Licence) -> None: ...
    def all(self) -> list[Licence]: ...
    def get(self, id: str) -> Licence: ...  # NotFound
    def hosts_of(self, licence: Licence) -> list[str]:
        """The host that it is for, in the forms in which cases may name theirs."""

    def remove(self, id: str) -> None: ...  # NotFound
    def move(self, work_id: str, to: str) -> None:
        """Let what allows the one work to be carried allow another instead."""

    def covering(self, url: str, work_id: str, at: datetime) -> Licence | None: ...
    def covering_all(self, asked: Sequence[tuple[str, str, datetime]]) -> list[Licence | None]:
        """The same for several addresses, each with a work and a time."""
