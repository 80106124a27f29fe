"""What registries said of domains."""

from collections.abc import Collection
from typing import Protocol

from store.records import Registration


class Registrations(Protocol):
    """Every answer that was given."""

    def put(self, registration: Registration) -> None: ...
    def get(self, id: str) -> Registration: ...  # NotFound
    def of_domains(self, domains: Collection[str], limit: int = 20) -> list[Registration]:
        """The last given first."""
