"""Store triage rules."""

from pymongo.database import Database

from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document
from wenhen.kit.mongo.table import Table, TableSpec
from wenhen.triage.model import TriageRule

TRIAGE_RULES = TableSpec(name="triage_rules", schema=schema_of(TriageRule), indexes=())  # there are only a few


class TriageRules:
    """Rules by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, TRIAGE_RULES, address)

    def put(self, rule: TriageRule) -> None:
        """Store a rule, replacing the one with its id."""
        self.table.put(to_document(rule))

    def get(self, id: str) -> TriageRule:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound("store.no_triage_rule", id=id)
        return from_document(TriageRule, document)

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_triage_rule", id=id)

    def all(self) -> list[TriageRule]:
        """Return all rules, the oldest first."""
        triage_rules = [from_document(TriageRule, document) for document in self.table.some({}, sort=[("_id", 1)])]
        return sorted(triage_rules, key=lambda rule: rule.at)

    def switched_on(self) -> list[TriageRule]:
        """Return the enabled rules, the oldest first."""
        return [rule for rule in self.all() if rule.on]

    def gone_through(self, rule: TriageRule, below: int | None) -> None:
        """Store how far a rule has processed the waiting leads. A rule that was changed meanwhile is not updated."""
        same = {"_id": rule.id, "on": True, "waiting_below": rule.waiting_below}
        self.table.update(same, {"$set": {"waiting_below": below}})
