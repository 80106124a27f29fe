"""Who is told of cases, and the outbox of what they are told."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from store.messages import Message
from store.records import Case, Delivery, Webhook


class Webhooks(Protocol):
    """The webhooks and their outbox."""

    def put(self, webhook: Webhook) -> None: ...
    def get(self, id: str) -> Webhook: ...  # NotFound
    def all(self) -> list[Webhook]: ...
    def remove(self, id: str) -> None:
        """With its deliveries. NotFound."""

    def changed_cases(self, since: datetime, limit: int) -> list[Case]:
        """Cases that were written at this time or later, without their passages, the earliest first."""

    def told(self, case_ids: Collection[str]) -> dict[str, str]:
        """The state of these cases, as a digest, that was last put into the outbox."""

    def remember(self, states: Mapping[str, str]) -> None:
        """Note what was told of these cases."""

    def offer(self, deliveries: Sequence[Delivery]) -> None:
        """Put these into the outbox, those that are there left alone."""

    def has_due(self, now: datetime) -> bool: ...
    def take_due(self, now: datetime, lease: timedelta, limit: int) -> list[Delivery]:
        """Deliveries whose time has come and whose webhook is not paused; nobody else gets them within the lease."""

    def untaken(self, webhook_id: str, made_before: datetime) -> Delivery | None:
        """One that was made before then and is still to be taken."""

    def taken(self, id: str, at: datetime, status: int) -> None: ...
    def refused(self, id: str, at: datetime, *, due: datetime, status: int | None, problem: Message) -> None: ...
    def again(self, id: str, at: datetime) -> Delivery:
        """Due at once, even if it was taken before. NotFound."""

    def deliveries(self, webhook_id: str, *, skip: int = 0, limit: int = 50) -> list[Delivery]:
        """The newest first."""

    def count_deliveries(self, webhook_id: str) -> int: ...
