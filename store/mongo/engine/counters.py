"""Numbers that are given out once."""

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document
from store.mongo.engine.table import Declared, Table

COUNTERS = Declared(
    name="counters",
    schema={
        "bsonType": "object",
        "required": ["_id", "next"],
        "properties": {"_id": {"bsonType": "string"}, "next": {"bsonType": ["int", "long"]}},
    },
)


class Counters:
    """Counters by name, each beginning at 0."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, COUNTERS, address)

    def take(self, name: str, count: int) -> range:
        """Return the next `count` numbers; nobody else gets them, ever."""
        if count <= 0:
            return range(0)
        increase = {"$inc": {"next": count}}
        try:
            counter = self.table.changed({"_id": name}, increase, upsert=True)
        except Conflict:  # two first callers at once: the other one made the counter
            counter = self.table.changed({"_id": name}, increase, upsert=True)
        assert counter is not None  # an upsert returns what it made
        return range(counter["next"] - count, counter["next"])

    def taken(self, name: str) -> int:
        """Return how many were given out."""
        counter = self.table.one({"_id": name})
        return int(counter["next"]) if counter else 0
