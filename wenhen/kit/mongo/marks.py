"""Store named values, counters, periodic duties, and due jobs."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TypeVar

from wenhen.kit.errors import Conflict
from wenhen.kit.mongo.codec import encode, from_document, to_milliseconds
from wenhen.kit.mongo.table import Repository, Table, TableSpec, expiring_index

_DATE = {"bsonType": "date"}
MARKS = TableSpec(
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
    indexes=(expiring_index("over_at"),),
)


class Marks(Repository):
    """Values and duties by name. A name may have both."""

    declared = MARKS

    def get(self, name: str) -> Mapping[str, object] | None:
        document = self.table.one({"_id": name})
        return None if document is None else document.get("value")

    def with_prefix(self, prefix: str) -> list[Mapping[str, object]]:
        """Return the values of all names that begin with a prefix."""
        documents = self.table.some({"_id": {"$gte": prefix, "$lt": f"{prefix}\uffff"}, "value": {"$type": "object"}})
        return [document["value"] for document in documents]

    def set(self, name: str, value: Mapping[str, object], *, until: datetime | None = None) -> None:
        """Store a value. until: when it expires; None for never."""
        over = {} if until is None else {"over_at": to_milliseconds(until)}
        change = {"$set": {"value": encode(value), **over}}
        try:
            self.table.update({"_id": name}, change, upsert=True)
        except Conflict:  # two processes made the mark at once
            self.table.update({"_id": name}, change, upsert=True)

    def claim(self, name: str, now: datetime, every: timedelta) -> bool:
        """Return True for one caller per period, if the named duty is due, and move its due time on."""
        due = to_milliseconds(now + every)
        never_or_due = [{"due": {"$exists": False}}, {"due": {"$lte": to_milliseconds(now)}}]
        if self.table.update({"_id": name, "$or": never_or_due}, {"$set": {"due": due}}):
            return True
        try:
            self.table.insert({"_id": name, "due": due})
        except Conflict:
            return False
        return True

    def extend(self, name: str, due: datetime) -> None:
        """Keep a claimed duty until this time."""
        self.table.update({"_id": name}, {"$set": {"due": to_milliseconds(due)}})

    def release(self, name: str) -> None:
        """Release a claimed duty, so that the next caller may have it before its period is over."""
        self.table.update({"_id": name}, {"$unset": {"due": ""}})


COUNTERS = TableSpec(
    name="counters",
    schema={
        "bsonType": "object",
        "required": ["_id", "next"],
        "properties": {"_id": {"bsonType": "string"}, "next": {"bsonType": ["int", "long"]}},
    },
)


class Counters(Repository):
    """Counters by name, starting at 0."""

    declared = COUNTERS

    def take(self, name: str, count: int) -> range:
        """Return the next `count` numbers. No other caller ever gets them."""
        if count <= 0:
            return range(0)
        increase = {"$inc": {"next": count}}
        try:
            counter = self.table.find_and_change({"_id": name}, increase, upsert=True)
        except Conflict:  # of two first callers at once, the other made the counter
            counter = self.table.find_and_change({"_id": name}, increase, upsert=True)
        assert counter is not None  # an upsert returns its document
        return range(counter["next"] - count, counter["next"])

    def count_given(self, name: str) -> int:
        """Return how many numbers were taken."""
        counter = self.table.one({"_id": name})
        return int(counter["next"]) if counter else 0


# Job queue: documents with `due` and `tries`. A job is claimed by one worker, and tried again after its due time.


R = TypeVar("R")


def has_due_job(table: Table, now: datetime) -> bool:
    """Return whether a job is due."""
    return table.one({"due": {"$lte": to_milliseconds(now)}}, fields={"_id": 1}) is not None


def claim_due_job(table: Table, record_type: type[R], now: datetime, until: datetime) -> R | None:
    """Claim a due job and count the try. No other worker gets it before `until`."""
    taken = {"$set": {"due": to_milliseconds(until)}, "$inc": {"tries": 1}}
    document = table.find_and_change({"due": {"$lte": to_milliseconds(now)}}, taken)
    return None if document is None else from_document(record_type, document)
