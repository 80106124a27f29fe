"""What people left out of cases."""

from collections.abc import Collection

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Exclusion

EXCLUSIONS = Declared(name="exclusions", schema=schema_of(Exclusion), indexes=(index("covers"), index("at")))


class MongoExclusions:
    """Exclusions by id."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, EXCLUSIONS, address)

    def add(self, exclusion: Exclusion) -> None:
        self.table.insert(to_document(exclusion))

    def get(self, id: str) -> Exclusion:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("store.no_exclusion", id=id)
        return from_document(Exclusion, found)

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_exclusion", id=id)

    def all(self) -> list[Exclusion]:
        return [from_document(Exclusion, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def latest(self, most: int) -> list[Exclusion]:
        found = self.table.some({}, sort=[("at", -1)], limit=most)
        return [from_document(Exclusion, one) for one in found]

    def move(self, place: str, to: str) -> None:
        self.table.update_all({"covers": place}, {"$addToSet": {"covers": to}})
        self.table.update_all({"covers": place}, {"$pull": {"covers": place}})

    def covering(self, places: Collection[str]) -> list[Exclusion]:
        found = self.table.some({"covers": {"$in": list(places)}})
        return sorted((from_document(Exclusion, one) for one in found), key=lambda one: (one.at, one.id))
