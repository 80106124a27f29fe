"""The sites that are watched, and when each is crawled next."""

from collections.abc import Mapping
from datetime import datetime

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, encode, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Site

SITES = Declared(name="sites", schema=schema_of(Site), indexes=(index("due"), index("added_at", "_id")))


class MongoSites:
    """Sites by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SITES, address)

    def add(self, site: Site) -> None:
        self.table.insert(to_document(site))

    def put(self, site: Site) -> None:
        self.table.put(to_document(site))

    def get(self, id: str) -> Site:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_site", id=id)
        return from_document(Site, found)

    def all(self) -> list[Site]:
        """Return the sites in the order in which they were added."""
        found = self.table.some({}, sort=[("added_at", 1), ("_id", 1)])
        return [from_document(Site, one) for one in found]

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_site", id=id)

    def change(self, id: str, values: Mapping[str, object]) -> Site:
        found = self.table.changed({"_id": id}, {"$set": encode(values)})
        if found is None:
            raise NotFound("store.no_site", id=id)
        return from_document(Site, found)

    def due(self, now: datetime) -> list[Site]:
        found = self.table.some({"due": {"$lte": milliseconds(now)}, "paused": {"$ne": True}}, sort=[("due", 1)])
        return [from_document(Site, one) for one in found]

    def move_due(self, id: str, due: datetime, to: datetime) -> bool:
        return self.table.update({"_id": id, "due": milliseconds(due)}, {"$set": {"due": milliseconds(to)}})

    def set_last_run(self, id: str, run_id: str) -> None:
        self.table.update({"_id": id}, {"$set": {"last_run_id": run_id}})
