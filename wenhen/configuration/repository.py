"""Store the settings that were changed on screen."""

from wenhen.configuration.model import StoredSetting
from wenhen.kit.mongo.codec import schema_of, to_document
from wenhen.kit.mongo.table import Records, TableSpec

SETTINGS = TableSpec(name="settings", schema=schema_of(StoredSetting))


class StoredSettings(Records[StoredSetting]):
    """Settings by section.name."""

    declared = SETTINGS
    record_type = StoredSetting

    def all(self) -> list[StoredSetting]:
        """Return all stored settings, by id."""
        return self._read_some({}, sort=[("_id", 1)])

    def put(self, setting: StoredSetting) -> None:
        self.table.put(to_document(setting))

    def remove(self, id: str) -> None:
        self.table.delete({"_id": id})
