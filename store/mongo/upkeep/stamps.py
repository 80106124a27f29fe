"""Time stamps, wanted and given."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.mongo.upkeep.due_work import claim, has_due
from store.records import Stamp

STAMPS = Declared(name="stamps", schema=schema_of(Stamp), indexes=(index("due"),))


class MongoStamps:
    """Time stamps by what they are of."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, STAMPS, address)

    def want(self, stamp: Stamp) -> None:
        try:
            self.table.insert(to_document(stamp))
        except Conflict:
            return

    def many(self, ids: Collection[str]) -> Mapping[str, Stamp]:
        found = self.table.some({"_id": {"$in": list(ids)}})
        return {one["_id"]: from_document(Stamp, one) for one in found}

    def of(self, kind: str) -> list[Stamp]:
        found = self.table.some({"_id": {"$regex": f"^{re.escape(kind)}:"}}, sort=[("wanted_at", 1), ("_id", 1)])
        return [from_document(Stamp, one) for one in found]

    def has_due(self, now: datetime) -> bool:
        return has_due(self.table, now)

    def claim(self, now: datetime, until: datetime) -> Stamp | None:
        return claim(self.table, Stamp, now, until)

    def put(self, stamp: Stamp) -> None:
        self.table.put(to_document(stamp))
