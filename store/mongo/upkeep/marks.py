"""Small facts by name, and duties that are done once a period."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document, encode, milliseconds
from store.mongo.engine.table import Declared, Table, forgotten

_DATE = {"bsonType": "date"}
MARKS = Declared(
    name="marks",
    schema={
        "bsonType": "object",
        "required": ["_id"],
        "properties": {
            "_id": {"bsonType": "string"},
            "value": {"bsonType": "object"},
            **dict.fromkeys(("due", "over_at"), _DATE),
        },
    },
    indexes=(forgotten("over_at"),),
)


class MongoMarks:
    """Facts and duties by name; one name may be both."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, MARKS, address)

    def get(self, name: str) -> Mapping[str, object] | None:
        found = self.table.one({"_id": name})
        return None if found is None else found.get("value")

    def set(self, name: str, value: Mapping[str, object], *, until: datetime | None = None) -> None:
        over = {} if until is None else {"over_at": milliseconds(until)}
        change = {"$set": {"value": encode(value), **over}}
        try:
            self.table.update({"_id": name}, change, upsert=True)
        except Conflict:  # two at once made the mark
            self.table.update({"_id": name}, change, upsert=True)

    def claim(self, name: str, now: datetime, every: timedelta) -> bool:
        due = milliseconds(now + every)
        never_or_due = [{"due": {"$exists": False}}, {"due": {"$lte": milliseconds(now)}}]
        if self.table.update({"_id": name, "$or": never_or_due}, {"$set": {"due": due}}):
            return True
        try:
            self.table.insert({"_id": name, "due": due})
        except Conflict:
            return False
        return True

    def release(self, name: str) -> None:
        self.table.update({"_id": name}, {"$unset": {"due": ""}})
