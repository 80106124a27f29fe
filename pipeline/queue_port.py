"""The queue as steps and use cases see it: it says "now"; what is next stands in the store."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pipeline.worker_shares import QueueShare
from store.records import OwnerKind, Step


class Queue(Protocol):
    """Sends what is to be done, and says how much waits. Raises `Unavailable`."""

    def step(self, kind: OwnerKind, id: str, step: Step, share: QueueShare, *, begun: bool = False) -> None:
        """The next step of a record, which is to be done alone; begun: it has a step behind it, so that it goes before
        what else waits of its share.
        """

    def steps(
        self,
        kind: OwnerKind,
        ids: Sequence[str],
        step: Step,
        share: QueueShare,
        *,
        begun: bool = False,
        unless_waiting: bool = False,
    ) -> None:
        """The next step of records that may be done together. What waits already goes on waiting, in the share of more
        weight; `unless_waiting`, where it is.
        """

    def crawl(self, run_id: str, *, soon: bool = False) -> None:
        """Call for one more crawler for a run that is stored; soon: before all that nobody waits for."""

    def deliver(self) -> None: ...  # what waits in the outbox of webhooks
    def evidence(self) -> None: ...  # exhibits and time stamps that are due
    def reports(self) -> None: ...  # reports that are made in the background
    def waiting(self) -> dict[str, int]:
        """How many records, or other tasks, wait in each queue; those that a worker holds are left out."""

    def oldest(self) -> dict[str, datetime]:
        """Since when what waits longest does, for each queue that has something."""

    def workers(self) -> dict[str, list[str]]:
        """The workers that answer, with the queues that each serves."""

    def ping(self) -> str: ...  # the server's version
