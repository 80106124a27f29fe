"""Guesses at passwords and codes; MongoDB forgets them when nobody has guessed for a while."""

from datetime import UTC, datetime, timedelta

from pymongo.database import Database

from store.errors import Conflict
from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Declared, Table, forgotten, index
from store.rules.guess_delays import FORGOTTEN, Slowing

GUESSES = Declared(
    name="guesses",
    schema={
        "bsonType": "object",
        "required": ["_id", "user_id", "count", "next_at", "over_at"],
        "properties": {
            "_id": {"bsonType": "string"},
            "user_id": {"bsonType": "string"},
            "count": {"bsonType": ["int", "long"]},
            "next_at": {"bsonType": "date"},
            "over_at": {"bsonType": "date"},
        },
    },
    indexes=(index("user_id"), forgotten("over_at")),
)
_EVER = datetime(1970, 1, 1, tzinfo=UTC)


class MongoGuesses:
    """Guesses by what they are counted by."""

    def __init__(self, database: Database[Document], address: str) -> None:
        self.table = Table(database, GUESSES, address)

    def count(self, key: str, user_id: str, now: datetime, slowing: Slowing) -> timedelta:
        change = _counted(user_id, milliseconds(now), slowing)
        try:
            before = self.table.changed({"_id": key}, change, upsert=True, before=True)
        except Conflict:  # two at once were the first
            before = self.table.changed({"_id": key}, change, before=True)
        if before is None or before["over_at"] <= now:
            return timedelta()
        waits: timedelta = before["next_at"] - now
        return max(waits, timedelta())

    def take_back(self, key: str) -> None:
        self.table.update({"_id": key, "count": {"$gt": 0}}, {"$inc": {"count": -1}})

    def forget(self, key: str) -> None:
        self.table.delete({"_id": key})

    def forget_all(self, user_id: str) -> None:
        self.table.delete({"user_id": user_id})


def _counted(user_id: str, now: datetime, slowing: Slowing) -> list[Document]:
    """The update that counts a guess, and lets the next one wait if this one may be looked at."""
    remembered = {"$gt": [{"$ifNull": ["$over_at", _EVER]}, now]}
    count = {"$cond": [remembered, {"$add": ["$count", 1]}, 1]}
    looked_at = {"$lte": [{"$ifNull": ["$next_at", _EVER]}, now]}
    doubled = {"$pow": [2, {"$min": [{"$subtract": ["$count", slowing.free]}, 20]}]}
    longest = int(slowing.longest.total_seconds())
    pause = {"$cond": [{"$lt": ["$count", slowing.free]}, 0, {"$min": [doubled, longest]}]}
    over = milliseconds(now + FORGOTTEN + slowing.longest)
    return [
        {"$set": {"user_id": {"$literal": user_id}, "count": count}},
        {
            "$set": {
                "next_at": {"$cond": [looked_at, {"$add": [now, {"$multiply": [1000, pause]}]}, "$next_at"]},
                "over_at": over,
            }
        },
    ]
