"""Rules of alerts, the alerts under people's bells, and the letters that carry them."""

from collections.abc import Sequence
from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, forgotten, index
from store.mongo.upkeep.due_work import claim, has_due
from store.records import Alert, AlertRule, Letter
from store.rules import kept_for

RULES = Declared(name="alert_rules", schema=schema_of(AlertRule), indexes=(index("user", "name"),))
ALERTS = Declared(
    name="alerts",
    schema=schema_of(Alert),
    indexes=(
        index("user", "-at", "-_id"),
        index("user", "seen_at"),
        index("rule_id", "letter", "at"),
        index("letter"),
        forgotten("at", kept_for.ALERTS),
    ),
)
LETTERS = Declared(
    name="letters",
    schema=schema_of(Letter),
    indexes=(index("rule_id", "-made_at"), index("due"), forgotten("made_at", kept_for.DELIVERIES)),
)


class MongoAlerts:
    """Rules, alerts and letters by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, RULES, address)
        self.alerts_table = Table(database, ALERTS, address)
        self.letters_table = Table(database, LETTERS, address)

    def put_rule(self, rule: AlertRule) -> None:
        self.table.put(to_document(rule))

    def rule(self, id: str) -> AlertRule:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("alerts.no_rule", id=id)
        return from_document(AlertRule, found)

    def rules(self, user: str | None = None) -> list[AlertRule]:
        found = self.table.some({} if user is None else {"user": user}, sort=[("user", 1), ("name", 1)])
        return [from_document(AlertRule, one) for one in found]

    def remove_rule(self, id: str) -> None:
        self.table.delete({"_id": id})
        self.alerts_table.delete({"rule_id": id})
        self.letters_table.delete({"rule_id": id})

    def tell_until(self, rule: AlertRule, until: datetime) -> bool:
        before = {"_id": rule.id, "told_until": milliseconds(rule.told_until)}
        return self.table.update(before, {"$set": {"told_until": milliseconds(until)}})

    def offer(self, alerts: Sequence[Alert]) -> None:
        self.alerts_table.add_all([to_document(one) for one in alerts])

    def of_user(self, user: str, limit: int = 100) -> list[Alert]:
        found = self.alerts_table.some({"user": user}, sort=[("at", -1), ("_id", -1)], limit=limit)
        return [from_document(Alert, one) for one in found]

    def unseen(self, user: str) -> int:
        return self.alerts_table.count({"user": user, "seen_at": None})

    def see(self, user: str, at: datetime) -> None:
        self.alerts_table.update_all({"user": user, "seen_at": None}, {"$set": {"seen_at": milliseconds(at)}})

    def unsent(self, rule_id: str) -> bool:
        return self.alerts_table.one({"rule_id": rule_id, "letter": None}, fields={"_id": 1}) is not None

    def enclose(self, rule_id: str, letter: str, limit: int) -> None:
        waiting = {"rule_id": rule_id, "letter": None}
        some = self.alerts_table.some(waiting, sort=[("at", 1)], limit=limit, fields={"_id": 1})
        ids = [one["_id"] for one in some]
        self.alerts_table.update_all({"_id": {"$in": ids}, "letter": None}, {"$set": {"letter": letter}})

    def enclosed(self, letter: str) -> list[Alert]:
        found = self.alerts_table.some({"letter": letter})
        return sorted((from_document(Alert, one) for one in found), key=lambda one: (one.at, one.id))

    def put_letter(self, letter: Letter) -> None:
        self.letters_table.put(to_document(letter))

    def letters(self, rule_id: str, limit: int = 20) -> list[Letter]:
        found = self.letters_table.some({"rule_id": rule_id}, sort=[("made_at", -1)], limit=limit)
        return [from_document(Letter, one) for one in found]

    def has_due(self, now: datetime) -> bool:
        return has_due(self.letters_table, now)

    def claim(self, now: datetime, until: datetime) -> Letter | None:
        return claim(self.letters_table, Letter, now, until)
