"""The rules of triage."""

from typing import Protocol

from store.records import TriageRule


class TriageRules(Protocol):
    """Rules by id."""

    def put(self, rule: TriageRule) -> None:
        """Store a rule in place of the one of that id."""

    def get(self, id: str) -> TriageRule: ...  # NotFound
    def remove(self, id: str) -> None: ...  # NotFound
    def all(self) -> list[TriageRule]:
        """The oldest first."""

    def switched_on(self) -> list[TriageRule]:
        """Those that are on, the oldest first."""

    def gone_through(self, rule: TriageRule, below: int | None) -> None:
        """Note how far down the waiting leads a rule is; nothing is done where it was changed meanwhile."""
