"""What was refused or set aside."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from store.messages import Message
from store.records import Problem, ProblemGroup, ProblemKind, Step


class Problems(Protocol):
    """What was refused or set aside."""

    def put(
        self,
        where: str,
        what: str,
        reason: Message,
        at: datetime,
        step: Step | None = None,
        *,
        kind: str | None = None,
        run: str | None = None,
    ) -> None:
        """Note a refusal; the same one again raises its count. kind: the class of the error, or a crawl's word."""

    def clear(self, where: str, what: str) -> None: ...
    def clear_all(self, where: str, whats: Collection[str]) -> None:
        """What befell these is over."""

    def any_since(self, moment: datetime, where: str, whats: Collection[str]) -> bool:
        """Whether something befell one of these at that time or later."""

    def newest_of(self, where: str, whats: Collection[str]) -> Problem | None:
        """What befell one of these last."""

    def groups(self) -> list[ProblemGroup]:
        """All of them by their kind, the largest group first."""

    def of_kind(self, which: ProblemKind, limit: int) -> list[Problem]:
        """Those of one kind, the newest first."""

    def of_run(self, run: str, limit: int, kind: str | None = None) -> list[Problem]:
        """Those that came up in this run and in none after it, by kind, each kind's in the order of their addresses;
        those of one kind, where it is given.
        """

    def clear_kind(self, which: ProblemKind) -> int:
        """Forget those of one kind; how many."""

    def recent(self, *, limit: int = 50, to_do: bool = False) -> list[Problem]:
        """Those that came up last; to_do: only those that somebody has to do something about."""

    def count(self, *, to_do: bool = False) -> int:
        """How many of them there are."""
