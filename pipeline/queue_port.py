"""The queue as steps and use cases see it: it says "now"; what is next stands in the store."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.records import OwnerKind, Step


class Queue(Protocol):
    """Sends what is to be done, and says how much waits. Raises `Unavailable`."""

    def step(self, kind: OwnerKind, id: str, step: Step) -> None: ...
    def steps(self, kind: OwnerKind, ids: Sequence[str], step: Step) -> None:
        """The next step of many records in one message."""

    def crawl(self, run_id: str) -> None: ...  # one more crawler for a run that is stored
    def rebuild(self, kind: OwnerKind) -> None: ...
    def deliver(self) -> None: ...  # what waits in the outbox of webhooks
    def evidence(self) -> None: ...  # exhibits and time stamps that are due
    def reports(self) -> None: ...  # reports that are made in the background
    def tidy(self) -> None: ...  # the daily tidying of the indexes
    def sweep(self) -> None: ...  # the search for what is unfinished and forgotten
    def waiting(self) -> dict[str, int]:
        """Tasks that wait, by queue; those that a worker holds are left out."""

    def oldest(self) -> dict[str, datetime]:
        """When the message that waits longest was sent, for each queue that has one."""

    def workers(self) -> dict[str, list[str]]:
        """The workers that answer, with the queues that each serves."""

    def ping(self) -> str: ...  # the server's version
