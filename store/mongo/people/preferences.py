"""How people like the screens."""

from pymongo.database import Database

from store.mongo.engine.codec import Document, from_document, to_document
from store.mongo.engine.schema import schema_of
from store.mongo.engine.table import Declared, Table
from store.records import Preferences

PREFERENCES = Declared(name="preferences", schema=schema_of(Preferences))


class MongoPreferences:
    """One document a person, under the name."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, PREFERENCES, address)

    def get(self, user: str) -> Preferences:
        found = self.table.one({"_id": user})
        return Preferences(id=user) if found is None else from_document(Preferences, found)

    def remove(self, user: str) -> None:
        self.table.delete({"_id": user})

    def put(self, preferences: Preferences) -> None:
        self.table.put(to_document(preferences))
