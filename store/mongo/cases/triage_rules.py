"""The rules of triage."""

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import TriageRule

TRIAGE_RULES = Declared(name="triage_rules", schema=schema_of(TriageRule), indexes=())  # a handful


class MongoTriageRules:
    """Rules by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, TRIAGE_RULES, address)

    def put(self, rule: TriageRule) -> None:
        self.table.put(to_document(rule))

    def get(self, id: str) -> TriageRule:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_triage_rule", id=id)
        return from_document(TriageRule, found)

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_triage_rule", id=id)

    def all(self) -> list[TriageRule]:
        found = [from_document(TriageRule, one) for one in self.table.some({}, sort=[("_id", 1)])]
        return sorted(found, key=lambda one: one.at)

    def switched_on(self) -> list[TriageRule]:
        return [rule for rule in self.all() if rule.on]

    def gone_through(self, rule: TriageRule, below: int | None) -> None:
        same = {"_id": rule.id, "on": True, "waiting_below": rule.waiting_below}
        self.table.update(same, {"$set": {"waiting_below": below}})
