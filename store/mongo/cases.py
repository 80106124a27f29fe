"""The cases: what the machine opened, and what people decided."""

from collections.abc import Collection, Iterator
from datetime import datetime

from pymongo import IndexModel
from pymongo.database import Database

from store.errors import BadInput, Conflict, NotFound
from store.mongo.codec import Document, from_document, milliseconds, to_document
from store.mongo.counters import Counters
from store.mongo.schema import schema_of
from store.mongo.table import Declared, Table, index
from store.records import Case, CaseOrder, CaseStatus, Level

LISTED_BY = ((), ("status",), ("page_host",), ("work_id",))
CASES = Declared(
    name="cases",
    # `before` is what stood before the last decision.
    schema=schema_of(Case, before={"bsonType": "object"}),
    indexes=(
        index("number", unique=True),
        index("status", "-number"),
        index("page_host", "-number"),
        index("work_id", "-number"),
        index("page_id", "-number"),
        *(
            index(*first, "-match.share_of_page", "-number")
            for first in ((), ("status",), ("page_host",), ("work_id",))
        ),
        index("match.level", "-number"),
        index("status", "match.level", "-number"),
        # The licensed ones, which are few.
        IndexModel([("number", -1)], name="licensed", partialFilterExpression={"licence_id": {"$type": "string"}}),
        index("opened_at"),
        index("present", "-number"),
        index("cluster_id", "-number"),
        index("status", "page_host"),
        index("status", "work_title"),
    ),
)
KEPT = ("_id", "number", "status", "opened_at", "decided_at", "decided_by", "reason", "cluster_id")
DECISION = ("status", "decided_at", "decided_by", "reason")
ORDERS: dict[CaseOrder, list[tuple[str, int]]] = {
    CaseOrder.NEWEST: [("number", -1)],
    CaseOrder.OLDEST: [("number", 1)],
    CaseOrder.LARGEST: [("match.share_of_page", -1), ("number", -1)],
}
NOT_DISMISSED = [status.value for status in CaseStatus if status is not CaseStatus.DISMISSED]
TOP_FIELDS = ("page_host", "work_title")
MOST = 2**63 - 1  # the largest whole number that MongoDB knows


class MongoCases:
    """Cases by page and work, numbered from 1 for people."""

    def __init__(self, database: Database[Document], address: str, counters: Counters) -> None:
        self.table = Table(database, CASES, address)
        self._counters = counters

    def open_or_update(self, case: Case) -> tuple[Case, bool]:
        document = to_document(case) | {"present": True}
        newer = {name: value for name, value in document.items() if name not in KEPT}
        found = self.table.changed({"_id": case.id}, {"$set": newer})
        if found is None:
            # Taken only once it is known to be needed; two who open one case at once leave a gap, never a number twice.
            document["number"] = self._counters.take("case", 1)[0] + 1
            try:
                self.table.insert(document)
            except Conflict:
                found = self.table.changed({"_id": case.id}, {"$set": newer})
                if found is None:
                    raise
            else:
                return from_document(Case, document), True
        return from_document(Case, found), False

    def mark_absent(self, ids: Collection[str], at: datetime) -> None:
        self.table.update_all(
            {"_id": {"$in": list(ids)}, "present": True}, {"$set": {"present": False, "updated_at": milliseconds(at)}}
        )

    def set_cluster(self, page_ids: Collection[str], cluster_id: str | None) -> None:
        self.table.update_all({"page_id": {"$in": list(page_ids)}}, {"$set": {"cluster_id": cluster_id}})

    def get(self, id: str) -> Case:
        found = self.table.one(_by_id_or_number(id))
        if found is None:
            raise NotFound(f"No case has the id or number {id}.")
        return from_document(Case, found)

    def find(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
        order: CaseOrder = CaseOrder.NEWEST,
        skip: int = 0,
        limit: int = 50,
    ) -> list[Case]:
        """Return the cases that fit, the last opened first, or in the order given."""
        filter = _filter(status, host, work_id, page_id, level, licensed, present)
        found = self.table.some(filter, sort=ORDERS[order], skip=skip, limit=limit)
        return [from_document(Case, one) for one in found]

    def count(
        self,
        *,
        status: CaseStatus | None = None,
        host: str | None = None,
        work_id: str | None = None,
        page_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> int:
        filter = _filter(status, host, work_id, page_id, level, licensed, present)
        return self.table.count(filter, hint=None if filter else "_id_")

    def count_by_status(
        self,
        *,
        host: str | None = None,
        work_id: str | None = None,
        level: Level | None = None,
        licensed: bool | None = None,
        present: bool | None = None,
    ) -> dict[CaseStatus, int]:
        filter = _filter(None, host, work_id, None, level, licensed, present)
        if not filter:  # each is counted in its index, which is quicker than to group them all
            counts = {status: self.count(status=status) for status in CaseStatus}
            return {status: count for status, count in counts.items() if count}
        groups = self.table.aggregate([{"$match": filter}, {"$group": {"_id": "$status", "cases": {"$sum": 1}}}])
        return {CaseStatus(group["_id"]): group["cases"] for group in groups}

    def decide(self, id: str, status: CaseStatus, *, by: str, reason: str | None, at: datetime) -> Case:
        decided = {
            "status": status.value,
            "decided_at": milliseconds(at),
            "decided_by": by,
            "reason": reason,
            "updated_at": milliseconds(at),
        }
        # One write keeps the decision and what stood before it; `$literal`, as a reason may begin with a dollar.
        literal = {name: {"$literal": value} for name, value in decided.items()}
        before = {name: {"$ifNull": [f"${name}", None]} for name in DECISION}
        found = self.table.changed(_by_id_or_number(id), [{"$set": {**literal, "before": before}}])
        if found is None:
            raise NotFound(f"No case has the id or number {id}.")
        return from_document(Case, found)

    def undo(self, id: str, *, decided_at: datetime, at: datetime) -> Case | None:
        found = self.table.changed(
            {**_by_id_or_number(id), "decided_at": milliseconds(decided_at), "before": {"$type": "object"}},
            [
                {"$set": {name: f"$before.{name}" for name in DECISION} | {"updated_at": milliseconds(at)}},
                {"$unset": "before"},
            ],
        )
        return None if found is None else from_document(Case, found)

    def each(self, *, status: CaseStatus | None = None) -> Iterator[Case]:
        """Yield the cases in the order of their numbers."""
        for one in self.table.each(_filter(status), by="number"):
            yield from_document(Case, one)

    def top(self, field: str, limit: int) -> list[tuple[str, int]]:
        if field not in TOP_FIELDS:
            raise BadInput(f"Cases cannot be ranked by {field!r}; choose one of {', '.join(TOP_FIELDS)}.")
        groups = self.table.aggregate(
            [
                {"$match": {"status": {"$in": NOT_DISMISSED}}},
                {"$group": {"_id": f"${field}", "cases": {"$sum": 1}}},
                {"$sort": {"cases": -1, "_id": 1}},
                {"$limit": limit},
            ]
        )
        return [(group["_id"], group["cases"]) for group in groups]


def _by_id_or_number(id: str) -> Document:
    if id.isascii() and id.isdecimal() and int(id) <= MOST:
        return {"number": int(id)}
    return {"_id": id}


def _filter(
    status: CaseStatus | None,
    host: str | None = None,
    work_id: str | None = None,
    page_id: str | None = None,
    level: Level | None = None,
    licensed: bool | None = None,
    present: bool | None = None,
) -> Document:
    wanted = {
        "status": None if status is None else status.value,
        "page_host": host,
        "work_id": work_id,
        "page_id": page_id,
        "match.level": None if level is None else level.value,
        "licence_id": None if licensed is None else {"$type": "string" if licensed else "null"},
        "present": present,
        # True of every case: it lets the index of the licensed ones, which is by number, be thought of.
        "number": {"$gt": 0} if licensed else None,
    }
    return {name: value for name, value in wanted.items() if value is not None}
