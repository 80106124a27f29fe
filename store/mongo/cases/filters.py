"""The filters that people saved."""

from datetime import datetime
from hashlib import sha256

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, milliseconds, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table, index
from store.records import SavedFilter

FILTERS = Declared(name="filters", schema=schema_of(SavedFilter), indexes=(index("user", "name"),))


class MongoFilters:
    """Saved filters, one for each name that a user gave."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, FILTERS, address)

    def put(self, user: str, name: str, query: str, at: datetime) -> SavedFilter:
        id = sha256(f"{user}\n{name}".encode("utf-8", "replace")).hexdigest()[:16]
        saved = SavedFilter(id=id, user=user, name=name, query=query, saved_at=milliseconds(at))
        self.table.put(to_document(saved))
        return saved

    def of_user(self, user: str) -> list[SavedFilter]:
        return [from_document(SavedFilter, one) for one in self.table.some({"user": user}, sort=[("name", 1)])]

    def remove_of(self, user: str) -> None:
        self.table.delete({"user": user})

    def remove(self, id: str, user: str) -> bool:
        return bool(self.table.delete({"_id": id, "user": user}))
