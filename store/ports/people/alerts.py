"""Rules of alerts, the alerts under people's bells, and the letters that carry them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.records import Alert, AlertRule, Letter


class Alerts(Protocol):
    """Rules, alerts and letters."""

    def put_rule(self, rule: AlertRule) -> None: ...
    def rule(self, id: str) -> AlertRule: ...  # NotFound
    def rules(self, user: str | None = None) -> list[AlertRule]: ...
    def remove_rule(self, id: str) -> None:
        """With its alerts and letters."""

    def tell_until(self, rule: AlertRule, until: datetime) -> bool:
        """Move a rule's `told_until` on; False: somebody else did."""

    def offer(self, alerts: Sequence[Alert]) -> None:
        """Put these under the bells, those that are there left alone."""

    def of_user(self, user: str, limit: int = 100) -> list[Alert]: ...  # the newest first
    def unseen(self, user: str) -> int: ...
    def see(self, user: str, at: datetime) -> None: ...
    def unsent(self, rule_id: str) -> bool: ...
    def enclose(self, rule_id: str, letter: str, limit: int) -> None:
        """Put what is in no letter yet into this one, the oldest first."""

    def enclosed(self, letter: str) -> list[Alert]: ...
    def put_letter(self, letter: Letter) -> None: ...
    def letters(self, rule_id: str, limit: int = 20) -> list[Letter]: ...  # the newest first
    def has_due(self, now: datetime) -> bool: ...
    def claim(self, now: datetime, until: datetime) -> Letter | None:
        """A letter that is due, with its try counted; nobody else gets it before `until`."""
