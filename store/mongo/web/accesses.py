"""How the sites are reached: sessions and proxies."""

from collections.abc import Sequence
from datetime import datetime

from pymongo.database import Database

from store.mongo.engine.codec import Document, encode, from_document, milliseconds
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import Access, Cookie

ACCESSES = Declared(name="accesses", schema=schema_of(Access), indexes=())


class MongoAccesses:
    """Accesses by the id of their site."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, ACCESSES, address)

    def get(self, id: str) -> Access:
        found = self.table.one({"_id": id})
        return Access(id=id) if found is None else from_document(Access, found)

    def all(self) -> list[Access]:
        return [from_document(Access, one) for one in self.table.some({}, sort=[("_id", 1)])]

    def set_cookies(self, id: str, cookies: Sequence[Cookie], at: datetime) -> None:
        self._set(id, {"cookies": encode(cookies)}, at)

    def set_proxies(self, id: str, proxies: Sequence[str], at: datetime) -> None:
        self._set(id, {"proxies": encode(proxies)}, at)

    def remove(self, id: str) -> None:
        self.table.delete({"_id": id})

    def _set(self, id: str, change: Document, at: datetime) -> None:
        self.table.update({"_id": id}, {"$set": change | {"updated_at": milliseconds(at)}}, upsert=True)
