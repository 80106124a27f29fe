"""Input that was refused or set aside: one document for each place, thing and reason."""

from collections.abc import Collection
from datetime import datetime
from hashlib import sha256

from pymongo.database import Database

from store.errors import Conflict
from store.messages import Message
from store.mongo.engine.codec import Document, encode, from_document, milliseconds
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, forgotten, index
from store.records import Problem, ProblemGroup, ProblemKind, Step
from store.records.upkeep.problem import ASKS_SOMEBODY, CRAWL, IMPORT, PIPELINE
from store.rules import kept_for
from store.rules.storable import storable

PROBLEMS = Declared(
    name="problems",
    schema=schema_of(Problem),
    indexes=(
        index("where", "what"),
        index("where", "kind", "step", "-at"),
        index("-at"),
        index("run", "kind", "what"),
        # An address that no page leads to any more is asked for no more, and nothing else would clear its problem.
        forgotten("at", kept_for.CRAWL_PROBLEMS, only={"where": CRAWL}),
    ),
)

BY_KIND = "where_1_kind_1_step_1_at_-1"  # an index
_TO_DO: Document = {
    "$or": [{"where": {"$in": [IMPORT, PIPELINE]}}, {"where": CRAWL, "kind": {"$in": list(ASKS_SOMEBODY)}}]
}


class MongoProblems:
    """Problems, each counted as often as it came up."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, PROBLEMS, address)

    def put(
        self,
        where: str,
        what: str,
        reason: Message,
        at: datetime,
        step: Step | None = None,
        *,
        kind: str | None = None,
        run: str | None = None,
    ) -> None:
        which = {"_id": sha256("\0".join((where, what, str(reason))).encode("utf-8", "replace")).hexdigest()[:32]}
        noted = {
            "where": where,
            "what": storable(what),
            "reason": encode(reason),
            "kind": kind,
            "at": milliseconds(at),
            "step": None if step is None else step.value,
            "run": run,
        }
        change = {"$set": noted, "$inc": {"times": 1}}
        try:
            self.table.update(which, change, upsert=True)
        except Conflict:  # two at once noted it for the first time
            self.table.update(which, change, upsert=True)

    def clear(self, where: str, what: str) -> None:
        self.clear_all(where, [what])

    def clear_all(self, where: str, whats: Collection[str]) -> None:
        self.table.delete({"where": where, "what": {"$in": [storable(what) for what in whats]}})

    def any_since(self, moment: datetime, where: str, whats: Collection[str]) -> bool:
        these = {"where": where, "what": {"$in": [storable(what) for what in whats]}}
        return self.table.one({**these, "at": {"$gte": milliseconds(moment)}}, fields={"_id": 1}) is not None

    def newest_of(self, where: str, whats: Collection[str]) -> Problem | None:
        these = {"where": where, "what": {"$in": [storable(what) for what in whats]}}
        newest = self.table.some(these, sort=[("at", -1)], limit=1)
        return from_document(Problem, newest[0]) if newest else None

    def groups(self) -> list[ProblemGroup]:
        kind = {"where": "$where", "kind": "$kind", "step": "$step"}
        # Counted in an index, which holds all of it: of many crawls there are hundreds of thousands.
        counted = self.table.aggregate([{"$group": {"_id": kind, "count": {"$sum": 1}}}], hint=BY_KIND)
        found = [(one, self.table.some(one["_id"], sort=[("at", -1)], limit=1)) for one in counted]
        groups = [
            from_document(ProblemGroup, {"which": one["_id"], "count": one["count"], **newest[0]})
            for one, newest in found
            if newest  # it may have been cleared meanwhile
        ]
        return sorted(groups, key=lambda group: (group.count, group.at), reverse=True)

    def of_kind(self, which: ProblemKind, limit: int) -> list[Problem]:
        found = self.table.some(encode(which), sort=[("at", -1)], limit=limit)
        return [from_document(Problem, one) for one in found]

    def of_run(self, run: str, limit: int, kind: str | None = None) -> list[Problem]:
        which = {"run": run} if kind is None else {"run": run, "kind": kind}
        found = self.table.some(which, sort=[("kind", 1), ("what", 1)], limit=limit)
        return [from_document(Problem, one) for one in found]

    def clear_kind(self, which: ProblemKind) -> int:
        return self.table.delete(encode(which))

    def recent(self, *, limit: int = 50, to_do: bool = False) -> list[Problem]:
        """Return the problems that came up last, the newest first."""
        found = self.table.some(_TO_DO if to_do else {}, sort=[("at", -1)], limit=limit)
        return [from_document(Problem, one) for one in found]

    def count(self, *, to_do: bool = False) -> int:
        return self.table.count(_TO_DO, hint=BY_KIND) if to_do else self.table.estimate()
