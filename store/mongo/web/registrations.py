"""What registries said of domains."""

from collections.abc import Collection

from pymongo.database import Database

from store.errors import NotFound
from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import Registration

REGISTRATIONS = Declared(
    name="registrations", schema=schema_of(Registration), indexes=(index("domain", "-asked_at", "_id"),)
)


class MongoRegistrations:
    """Every answer that was given."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, REGISTRATIONS, address)

    def put(self, registration: Registration) -> None:
        self.table.put(to_document(registration))

    def get(self, id: str) -> Registration:
        found = self.table.one({"_id": id})
        if found is None:
            raise NotFound("rdap.no_answer", id=id)
        return from_document(Registration, found)

    def of_domains(self, domains: Collection[str], limit: int = 20) -> list[Registration]:
        found = self.table.some({"domain": {"$in": list(domains)}}, sort=[("asked_at", -1)], limit=limit)
        return [from_document(Registration, one) for one in found]
