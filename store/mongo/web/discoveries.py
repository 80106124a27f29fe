"""The review list of addresses that searches found."""

from collections.abc import Collection
from datetime import datetime

from pymongo.database import Database

from store.errors import Conflict, NotFound
from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Discovery, DiscoveryStatus

DISCOVERIES = Declared(
    name="discoveries",
    schema=schema_of(Discovery),
    indexes=(index("-found_at", "_id"), index("work_id", "-found_at"), index("status", "-found_at"), index("batch")),
)


class MongoDiscoveries:
    """Discoveries by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, DISCOVERIES, address)

    def add(self, discovery: Discovery) -> bool:
        try:
            self.table.insert(to_document(discovery))
        except Conflict:
            more = {"$addToSet": {"sentences": {"$each": list(discovery.sentences)}}}
            self.table.update({"_id": discovery.id}, more)
            return False
        return True

    def find(
        self, *, work_id: str | None = None, status: DiscoveryStatus | None = None, skip: int = 0, limit: int = 50
    ) -> list[Discovery]:
        wanted = {"work_id": work_id, "status": None if status is None else status.value}
        filter = {name: value for name, value in wanted.items() if value is not None}
        found = self.table.some(filter, sort=[("found_at", -1), ("_id", 1)], skip=skip, limit=limit)
        return [from_document(Discovery, one) for one in found]

    def of_batch(self, batch: str) -> list[Discovery]:
        """Return the addresses that were accepted together, in the order of their ids."""
        return [from_document(Discovery, one) for one in self.table.some({"batch": batch}, sort=[("_id", 1)])]

    def decide(
        self, ids: Collection[str], status: DiscoveryStatus, *, at: datetime, batch: str | None = None
    ) -> list[Discovery]:
        which = {"_id": {"$in": list(ids)}}
        known = {one["_id"] for one in self.table.some(which, fields={"_id": 1})}
        for id in ids:
            if id not in known:
                raise NotFound("store.no_found_address", id=id)
        change = {"status": status.value, "decided_at": milliseconds(at), "batch": batch}
        self.table.update_all(which, {"$set": change})
        return [from_document(Discovery, one) for one in self.table.some(which, sort=[("_id", 1)])]
