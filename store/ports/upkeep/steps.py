"""What works and pages share: steps that workers claim."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, Protocol, TypeVar

from store.messages import Message
from store.records import Step

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claim(Generic[T]):
    """A record that one worker holds, for one step, until its lease runs out.

    The token makes a write by a holder whose record was restarted or re-claimed meanwhile do nothing.
    """

    id: str
    step: Step
    token: str
    record: T


class ChangedText(NamedTuple):
    """When a record last changed, and its text then, None where it has none."""

    updated_at: datetime
    id: str
    digest: str | None


class Steps(Protocol[T]):
    """What works and pages share: the next step, claimed by one worker at a time."""

    def get(self, id: str) -> T: ...  # NotFound
    def claim(self, id: str, step: Step, lease: timedelta) -> Claim[T] | None:
        """Take the record if `step` is its next step and nobody holds it; counts a try. None: nothing to do."""

    def claim_all(self, ids: Collection[str], step: Step, lease: timedelta) -> list[Claim[T]]:
        """Those of the records that `claim` would give, at the price of two questions."""

    def extend_all(self, claims: Sequence[Claim[T]], lease: timedelta) -> bool:
        """False when none of the claims holds any more."""

    def release(self, claim: Claim[T], *, due: datetime, problem: Message, counts: bool = True) -> None:
        """Give the record back after a failure, to be tried again at `due`; counts: this was one of its tries."""

    def set_aside(self, claim: Claim[T], problem: Message) -> None: ...
    def advance(self, claim: Claim[T], to: Step) -> bool:
        """Move on, due now; False when the claim no longer holds (restarted, or a newer version came in)."""

    def go_on(self, claims: Sequence[Claim[T]], to: Step, lease: timedelta | None) -> list[Claim[T]]:
        """Move on those whose claim holds, and hold them for that step as well, which counts as a try of it; without a
        lease, and at DONE, let them go. The claims of those that moved.
        """

    def restart(self, id: str, step: Step, *, only_from: Collection[Step] | None = None) -> bool:
        """Give the record this next step, due now, no tries counted, any claim void; with `only_from` only where its
        present step is among them.
        """

    def due(self, now: datetime, limit: int) -> list[tuple[str, Step]]:
        """Unfinished records that nobody holds and whose time has come, oldest first."""

    def queued(self, ids: Collection[str], until: datetime) -> None:
        """Note that these were put into the queue, so that the sweep leaves them alone until then."""

    def set_aside_ids(self, limit: int) -> list[str]: ...
    def texts_changed(self, after: tuple[datetime, str] | None, *, until: datetime, limit: int) -> list[ChangedText]:
        """The records in the order in which they last changed, and of one moment against that of their ids, from the
        one after this on; those that were removed are left out.
        """

    def count_by_step(self) -> dict[Step, int]:
        """The number of records at each step that has any, each as of its own moment."""

    def count_unfinished(self) -> int:
        """The records that have a step before them, all as of one moment: none is missed for being moved on, or back,
        while it is counted.
        """
