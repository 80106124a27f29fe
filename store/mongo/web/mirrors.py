"""Which hosts carry the same site."""

from collections.abc import Mapping
from datetime import datetime

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, milliseconds
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Mirror
from store.rules.web.mirror_counting import newly_counted, settled

MIRRORS = Declared(name="mirrors", schema=schema_of(Mirror), indexes=(index("main", "_id"),))


class MongoMirrors:
    """Mirrors by their host; there are few."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, MIRRORS, address)

    def join(self, host: str, main: str, *, pages: int, at: datetime) -> None:
        new = newly_counted(host, main, self.mains())
        if new is None:
            return
        mirror, counted_as = new
        self.table.put({"_id": mirror, "main": counted_as, "known_since": milliseconds(at), "pages": pages})
        self.table.update_all({"main": mirror}, {"$set": {"main": counted_as}})
        self._settle()

    def _settle(self) -> None:
        """Another may have joined others since they were read; whoever comes last sees what both have written."""
        before = self.mains()
        after = settled(before)
        for mirror, main in before.items():
            as_read = {"_id": mirror, "main": main}
            if mirror not in after:
                self.table.delete(as_read)
            elif after[mirror] != main:
                self.table.update(as_read, {"$set": {"main": after[mirror]}})

    def part(self, host: str) -> bool:
        return bool(self.table.delete({"_id": host}))

    def mains(self) -> Mapping[str, str]:
        # In this order the index alone answers.
        found = self.table.some({}, sort=[("main", 1), ("_id", 1)], fields={"main": 1})
        return {one["_id"]: one["main"] for one in found}

    def all(self) -> list[Mirror]:
        found = self.table.some({}, sort=[("main", 1), ("_id", 1)])
        return [from_document(Mirror, one) for one in found]
