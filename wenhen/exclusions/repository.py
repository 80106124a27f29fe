"""Store the exclusions of users."""

from collections.abc import Collection
from typing import Protocol

from pymongo.database import Database

from wenhen.exclusions.model import Exclusion
from wenhen.kit.errors import NotFound
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document
from wenhen.kit.mongo.table import Table, TableSpec, field_index


class Exclusions(Protocol):
    """Exclusions by id."""

    def add(self, exclusion: Exclusion) -> None: ...  # raises Conflict if it exists
    def get(self, id: str) -> Exclusion: ...  # NotFound
    def remove(self, id: str) -> None: ...  # NotFound
    def all(self) -> list[Exclusion]: ...
    def latest(self, most: int) -> list[Exclusion]:
        """Return the latest exclusions, the newest first."""

    def move(self, place: str, to: str) -> None:
        """Replace a key by another in all exclusions that cover it."""

    def find_covering(self, places: Collection[str]) -> list[Exclusion]:
        """Return exclusions that cover any of these keys (`wenhen.exclusions.model.case_places`), the oldest first."""


EXCLUSIONS = TableSpec(
    name="exclusions", schema=schema_of(Exclusion), indexes=(field_index("covers"), field_index("at"))
)


class MongoExclusions:
    """Exclusions by id, in MongoDB."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, EXCLUSIONS, address)

    def add(self, exclusion: Exclusion) -> None:
        self.table.insert(to_document(exclusion))

    def get(self, id: str) -> Exclusion:
        document = self.table.one({"_id": id})
        if document is None:
            raise NotFound("store.no_exclusion", id=id)
        return from_document(Exclusion, document)

    def remove(self, id: str) -> None:
        if not self.table.delete({"_id": id}):
            raise NotFound("store.no_exclusion", id=id)

    def all(self) -> list[Exclusion]:
        return [from_document(Exclusion, document) for document in self.table.some({}, sort=[("_id", 1)])]

    def latest(self, most: int) -> list[Exclusion]:
        documents = self.table.some({}, sort=[("at", -1)], limit=most)
        return [from_document(Exclusion, document) for document in documents]

    def move(self, place: str, to: str) -> None:
        self.table.update_all({"covers": place}, {"$addToSet": {"covers": to}})
        self.table.update_all({"covers": place}, {"$pull": {"covers": place}})

    def find_covering(self, places: Collection[str]) -> list[Exclusion]:
        documents = self.table.some({"covers": {"$in": list(places)}})
        return sorted(
            (from_document(Exclusion, document) for document in documents),
            key=lambda exclusion: (exclusion.at, exclusion.id),
        )
