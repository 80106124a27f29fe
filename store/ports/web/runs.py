"""The record of crawls, re-matches and rebuilds."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from store.messages import Message
from store.records import Run, RunKind, RunState, Subject


class Runs(Protocol):
    """The record of crawls, re-matches and rebuilds."""

    def start(
        self,
        kind: RunKind,
        subject: Subject | None,
        at: datetime,
        *,
        state: RunState = RunState.GOING,
        sole: bool = False,
        due: datetime | None = None,
        recrawl: bool = False,
    ) -> Run:
        """Begin a run. A `sole` one raises `Conflict` while another sole run of its kind and subject has not ended, and
        where one was started before for this due time.
        """

    def beat(self, id: str, at: datetime, counts: Mapping[str, int]) -> None:
        """Note a sign of life; the time since the last one counts as crawled, as far as it is no silence."""

    def end(
        self,
        id: str,
        at: datetime,
        counts: Mapping[str, int],
        problem: Message | None = None,
        noticed: Sequence[Message] = (),
    ) -> None:
        """End a run; does nothing to one that has ended."""

    def set_looks(self, id: str, template: Sequence[str], languages: Mapping[str, int]) -> None:
        """Keep what the pages of a run look like."""

    def get(self, id: str) -> Run: ...  # NotFound
    def many(self, ids: Collection[str]) -> dict[str, Run]:
        """Those of these runs that are there."""

    def recent(self, *, kind: RunKind | None = None, subject: Subject | None = None, limit: int = 20) -> list[Run]: ...
    def active(self, kind: RunKind) -> list[Run]:
        """The runs that have not ended, the oldest first."""

    def move(
        self, id: str, states: Collection[RunState], to: RunState, at: datetime, *, resume_at: datetime | None = None
    ) -> bool:
        """Put a run that has not ended from one of these states into another; False where it is in none of them."""

    def lose(self, id: str, at: datetime) -> Run:
        """Note that the crawlers of a run went away without a word."""

    def take_silent(self, id: str, since: datetime, at: datetime) -> bool:
        """Note a sign of life of a run whose last one was at `since`; False where it gave another, or has ended."""

    def end_lost(self, kind: RunKind, older_than: datetime) -> int:
        """End runs of this kind whose heartbeat stopped before this time, with the reason; the number of them."""
