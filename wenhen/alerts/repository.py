"""Store alert rules, alerts and letters."""

from collections.abc import Sequence
from datetime import datetime

from wenhen.alerts.model import Alert, AlertEvent, AlertRule, Letter
from wenhen.kit.clock import ALERT_RETENTION, DELIVERY_RETENTION
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import from_document, schema_of, to_document, to_milliseconds
from wenhen.kit.mongo.marks import claim_due_job, has_due_job
from wenhen.kit.mongo.table import OpenDatabase, Repository, Table, TableSpec, expiring_index, field_index

ALERT_RULES = TableSpec(name="alert_rules", schema=schema_of(AlertRule), indexes=(field_index("user", "name"),))
ALERTS = TableSpec(
    name="alerts",
    schema=schema_of(Alert),
    indexes=(
        field_index("user", "-at", "-_id"),
        field_index("user", "seen_at"),
        field_index("rule_id", "letter", "at"),
        field_index("letter"),
        expiring_index("at", ALERT_RETENTION),
    ),
)
LETTERS = TableSpec(
    name="letters",
    schema=schema_of(Letter),
    indexes=(field_index("rule_id", "-made_at"), field_index("due"), expiring_index("made_at", DELIVERY_RETENTION)),
)


class Alerts(Repository):
    """Store rules, alerts and letters by id."""

    declared = ALERT_RULES

    def __init__(self, database: OpenDatabase) -> None:
        super().__init__(database)
        self.alerts_table = Table(database, ALERTS)
        self.letters_table = Table(database, LETTERS)

    def put_rule(self, rule: AlertRule) -> None:
        self.table.put(to_document(rule))

    def rule(self, id: str) -> AlertRule:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound("alerts.no_rule", id=id)
        return from_document(AlertRule, document)

    def rules(self, user: str | None = None) -> list[AlertRule]:
        documents = self.table.some({} if user is None else {"user": user}, sort=[("user", 1), ("name", 1)])
        return [from_document(AlertRule, document) for document in documents]

    def remove_rule(self, id: str) -> None:
        """Delete a rule with its alerts and letters."""
        self.table.delete({"_id": id})
        self.alerts_table.delete({"rule_id": id})
        self.letters_table.delete({"rule_id": id})

    def tell_until(self, rule: AlertRule, until: datetime) -> bool:
        """Advance `told_until` of a rule. Returns False after a concurrent change."""
        before = {"_id": rule.id, "told_until": to_milliseconds(rule.told_until)}
        return self.table.update(before, {"$set": {"told_until": to_milliseconds(until)}})

    def offer(self, alerts: Sequence[Alert]) -> None:
        """Add alerts. Existing ones are unchanged."""
        self.alerts_table.add_all([to_document(alert) for alert in alerts])

    def of_user(self, user: str, limit: int = 100) -> list[Alert]:
        documents = self.alerts_table.some({"user": user}, sort=[("at", -1), ("_id", -1)], limit=limit)
        return [from_document(Alert, document) for document in documents]

    def unseen(self, user: str) -> int:
        return self.alerts_table.count({"user": user, "seen_at": None})

    def unseen_mentions(self, user: str, limit: int = 10) -> list[Alert]:
        """Return the newest comments that mention a user and that the user has not seen."""
        which = {"user": user, "seen_at": None, "event": AlertEvent.MENTIONED.value}
        documents = self.alerts_table.some(which, sort=[("at", -1), ("_id", -1)], limit=limit)
        return [from_document(Alert, document) for document in documents]

    def see(self, user: str, moment: datetime) -> None:
        self.alerts_table.update_all({"user": user, "seen_at": None}, {"$set": {"seen_at": to_milliseconds(moment)}})

    def unsent(self, rule_id: str) -> bool:
        return self.alerts_table.one({"rule_id": rule_id, "letter": None}, fields={"_id": 1}) is not None

    def enclose(self, rule_id: str, letter: str, limit: int) -> None:
        """Add the oldest unsent alerts to a letter, at most `limit`."""
        waiting = {"rule_id": rule_id, "letter": None}
        some = self.alerts_table.some(waiting, sort=[("at", 1)], limit=limit, fields={"_id": 1})
        ids = [document["_id"] for document in some]
        self.alerts_table.update_all({"_id": {"$in": ids}, "letter": None}, {"$set": {"letter": letter}})

    def of_letter(self, letter: str) -> list[Alert]:
        documents = self.alerts_table.some({"letter": letter})
        return sorted(
            (from_document(Alert, document) for document in documents), key=lambda alert: (alert.at, alert.id)
        )

    def put_letter(self, letter: Letter) -> None:
        self.letters_table.put(to_document(letter))

    def letters(self, rule_id: str, limit: int = 20) -> list[Letter]:
        documents = self.letters_table.some({"rule_id": rule_id}, sort=[("made_at", -1)], limit=limit)
        return [from_document(Letter, document) for document in documents]

    def has_due(self, now: datetime) -> bool:
        return has_due_job(self.letters_table, now)

    def claim(self, now: datetime, until: datetime) -> Letter | None:
        """Claim a due letter until `until`, and count the try. Returns None if there is none."""
        return claim_due_job(self.letters_table, Letter, now, until)
