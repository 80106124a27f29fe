"""Lines that repeat across the pages of one host, counted lossily.

Manku and Motwani, "Approximate Frequency Counts over Data Streams" (VLDB 2002): after every BUCKET pages of a host the
lines whose count could not keep up are dropped. So a line on more than one page in BUCKET stays, its count falls short
by at most pages / BUCKET, and a host takes room for the lines of some BUCKET pages, however many it has.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from pymongo import WriteConcern
from pymongo.database import Database

from store.mongo.engine.clock import Clock
from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Declared, Table, index

BUCKET = 200  # pages
LOSSY = WriteConcern(w=1)  # a count that a crash takes back does no harm

HOSTS = Declared(
    name="template_hosts",
    schema={
        "bsonType": "object",
        "required": ["_id", "pages"],
        "properties": {
            "_id": {"bsonType": "string"},
            "pages": {"bsonType": ["int", "long"]},
            "learned_at": {"bsonType": "date"},
            "changed_at": {"bsonType": ["date", "null"]},
        },
    },
    indexes=(index("changed_at"),),
)
LINES = Declared(
    name="template_lines",
    schema={
        "bsonType": "object",
        "required": ["_id", "host", "pages", "born"],
        "properties": {
            "_id": {"bsonType": "string"},
            "host": {"bsonType": "string"},
            "pages": {"bsonType": ["int", "long"]},
            "born": {"bsonType": ["int", "long"]},
            "seen_at": {"bsonType": "date"},
        },
    },
    indexes=(index("host", "seen_at"),),
)


class MongoTemplates:
    """Hosts by name, lines by host and key."""

    def __init__(self, database: Database[Document], address: str, clock: Clock) -> None:
        self.hosts_table = Table(database, HOSTS, address)
        self.lines_table = Table(database, LINES, address)
        self._clock = clock

    def learn(self, host: str, text: str, lines: Collection[str], least: int) -> None:
        now = milliseconds(self._clock())
        if not lines or not self._is_new(host, text):
            return
        known = self.hosts_table.changed(
            {"_id": host}, {"$inc": {"pages": 1}, "$set": {"learned_at": now}}, upsert=True
        )
        assert known is not None
        bucket = known["pages"] // BUCKET
        counted = [
            self.lines_table.upserting(
                {"_id": _key(host, line)},
                {"$inc": {"pages": 1}, "$set": {"seen_at": now}, "$setOnInsert": {"host": host, "born": bucket}},
            )
            for line in sorted({*lines, text})
        ]
        self.lines_table.write_all(counted, concern=LOSSY)
        if least in self.counts(host, lines).values():
            self.hosts_table.update({"_id": host}, {"$set": {"changed_at": now}})
        if known["pages"] % BUCKET == 0:
            self.lines_table.delete({"host": host, "$expr": {"$lte": [{"$add": ["$pages", "$born"]}, bucket]}})

    def pages(self, host: str) -> int:
        found = self.hosts_table.one({"_id": host}, fields={"pages": 1})
        return int(found["pages"]) if found else 0

    def counts(self, host: str, lines: Collection[str]) -> Mapping[str, int]:
        wanted = {_key(host, line): line for line in lines}
        found = self.lines_table.some({"_id": {"$in": list(wanted)}}, fields={"pages": 1})
        return {wanted[one["_id"]]: int(one["pages"]) for one in found}

    def changed(self, before: datetime) -> list[str]:
        late = {"changed_at": {"$ne": None, "$lt": milliseconds(before)}}
        return [one["_id"] for one in self.hosts_table.some(late, fields={"_id": 1})]

    def applied(self, host: str, moment: datetime) -> None:
        done = {"_id": host, "changed_at": {"$lte": milliseconds(moment)}}
        self.hosts_table.update(done, {"$set": {"changed_at": None}})

    def forget(self, before: datetime) -> None:
        recent = {"learned_at": {"$gte": milliseconds(before)}}
        for host in self.hosts_table.some(recent, fields={"_id": 1}):
            self.lines_table.delete({"host": host["_id"], "seen_at": {"$lt": milliseconds(before)}})

    def _is_new(self, host: str, text: str) -> bool:
        return self.lines_table.one({"_id": _key(host, text)}, fields={"_id": 1}) is None


def _key(host: str, line: str) -> str:
    return f"{host} {line}"
