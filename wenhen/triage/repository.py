"""Store triage rules."""

from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import schema_of, to_document
from wenhen.kit.mongo.table import RecordsById, TableSpec
from wenhen.triage.model import TriageRule

TRIAGE_RULES = TableSpec(name="triage_rules", schema=schema_of(TriageRule), indexes=())  # there are only a few


class TriageRules(RecordsById[TriageRule]):
    """Rules by id."""

    declared = TRIAGE_RULES
    record_type = TriageRule
    unknown_code = "store.no_triage_rule"

    def put(self, rule: TriageRule) -> None:
        """Store a rule, replacing the one with its id."""
        self.table.put(to_document(rule))

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_triage_rule", id=id)

    def all(self) -> list[TriageRule]:
        """Return all rules, the oldest first."""
        triage_rules = self._read_some({}, sort=[("_id", 1)])
        return sorted(triage_rules, key=lambda rule: rule.at)

    def switched_on(self) -> list[TriageRule]:
        """Return the enabled rules, the oldest first."""
        return [rule for rule in self.all() if rule.on]

    def gone_through(self, rule: TriageRule, below: int | None) -> None:
        """Store how far a rule has processed the waiting leads. A rule that was changed meanwhile is not updated."""
        same = {"_id": rule.id, "on": True, "waiting_below": rule.waiting_below}
        self.table.update(same, {"$set": {"waiting_below": below}})
