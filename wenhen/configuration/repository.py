"""Store the settings that were changed on screen."""

from pymongo.database import Database

from wenhen.configuration.model import StoredSetting
from wenhen.kit.mongo.codec import Document, from_document, schema_of, to_document
from wenhen.kit.mongo.table import Table, TableSpec

SETTINGS = TableSpec(name="settings", schema=schema_of(StoredSetting))


class StoredSettings:
    """Settings by section.name."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, SETTINGS, address)

    def all(self) -> list[StoredSetting]:
        """Return all stored settings, by id."""
        return [from_document(StoredSetting, document) for document in self.table.some({}, sort=[("_id", 1)])]

    def put(self, setting: StoredSetting) -> None:
        self.table.put(to_document(setting))

    def remove(self, id: str) -> None:
        self.table.delete({"_id": id})
