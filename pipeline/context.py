"""What every step needs, and no more: figures of the settings, the store, the three indexes, the queue, the clock."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from matcher.suspicion.kept_background import KeptBackground
from pipeline.index_sizes import KnownSizes
from pipeline.known_calibration import KnownCalibration
from pipeline.queue_port import Queue
from pipeline.recently_used import Recent
from pipeline.setting_sections import CoreSettings
from pipeline.worker_shares import QueueShare, shares_of
from store.errors import Unavailable
from store.ports import Store
from store.records import OwnerKind, Step

if TYPE_CHECKING:  # it brings numpy, which a command that only reads the store can do without
    from matcher.index.port import Index
    from matcher.phrases.port import PhraseIndex

RECENT_CHARACTERS: Final = 4_000_000  # of texts with their letters and characters, which take some twenty bytes each


def utc_now() -> datetime:
    """The time, aware and in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """The ports behind the steps, opened."""

    settings: CoreSettings
    store: Store
    works_index: "Index"
    pages_index: "Index"
    rare_words: "Index"  # of the works, for those told anew in other words
    phrases: "PhraseIndex"  # over the texts of both, for people who search
    queue: Queue
    sizes: KnownSizes = field(default_factory=KnownSizes)
    calibration: KnownCalibration = field(default_factory=KnownCalibration)
    background: KeptBackground = field(default_factory=KeptBackground)
    recent_texts: Recent[Any] = field(default_factory=lambda: Recent(RECENT_CHARACTERS))  # as they were read
    now: Callable[[], datetime] = utc_now

    def index(self, kind: OwnerKind) -> "Index":
        """The index over this side."""
        return self.works_index if kind is OwnerKind.WORK else self.pages_index

    def enqueue(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare | None = None,
        *,
        begun: bool = False,
    ) -> None:
        """Queue the next step of records, after the write that made it the next step; in this share, or in those that
        they belong to. begun: before those that have all of their way before them.

        When the queue cannot be reached nothing is lost: the sweep finds the records.
        """
        with suppress(Unavailable):
            shares = shares_of(self.store, kind, ids) if share is None else {share: ids}
            for one, some in shares.items():
                self.queue.steps(kind, some, step, one, begun=begun)

    def enqueue_alone(self, kind: OwnerKind, id: str, step: Step, *, begun: bool = False) -> None:
        """The same for a record that no other is to suffer from."""
        with suppress(Unavailable):
            for share in shares_of(self.store, kind, [id]):
                self.queue.step(kind, id, step, share, begun=begun)
