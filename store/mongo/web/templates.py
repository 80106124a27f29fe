"""Lines that repeat across the pages of one host, counted lossily.

Manku and Motwani, "Approximate Frequency Counts over Data Streams" (VLDB 2002): after every BUCKET pages of a host the
lines whose count could not keep up are dropped. So a line on more than one page in BUCKET stays, its count falls short
by at most pages / BUCKET, and a host takes room for the lines of some BUCKET pages, however many it has.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from pymongo import WriteConcern
from pymongo.database import Database

from store.mongo.engine.clock import Clock
from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Declared, Table, index
from store.ports.web.templates import Learned

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
        learned = self.learn_all(host, [(text, lines)])
        if any(learned.new) and least in learned.counts.values():
            self.note_changed(host)

    def learn_all(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> Learned:
        new = self._are_new(host, pages)
        counted = [{*lines, text} for (text, lines), one in zip(pages, new, strict=True) if one]
        every = {line for _, lines in pages for line in lines}
        if not counted:
            return Learned(new, self.pages(host), self.counts(host, every))
        now = milliseconds(self._clock())
        known = self.hosts_table.changed(
            {"_id": host}, {"$inc": {"pages": len(counted)}, "$set": {"learned_at": now}}, upsert=True
        )
        assert known is not None
        bucket = known["pages"] // BUCKET
        on = Counter(line for lines in counted for line in lines)
        upserts = [
            self.lines_table.upserting(
                {"_id": _key(host, line)},
                {"$inc": {"pages": count}, "$set": {"seen_at": now}, "$setOnInsert": {"host": host, "born": bucket}},
            )
            for line, count in sorted(on.items())
        ]
        self.lines_table.write_all(upserts, concern=LOSSY)
        learned = Learned(new, known["pages"], self.counts(host, every))
        if known["pages"] % BUCKET < len(counted):
            self.lines_table.delete({"host": host, "$expr": {"$lte": [{"$add": ["$pages", "$born"]}, bucket]}})
        return learned

    def note_changed(self, host: str) -> None:
        self.hosts_table.update({"_id": host}, {"$set": {"changed_at": milliseconds(self._clock())}})

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

    def _are_new(self, host: str, pages: Sequence[tuple[str, Collection[str]]]) -> list[bool]:
        """Which of these pages have lines, and a text that none before them had."""
        keys = [_key(host, text) for text, _ in pages]
        known = {one["_id"] for one in self.lines_table.some({"_id": {"$in": keys}}, fields={"_id": 1})}
        new = []
        for key, (_, lines) in zip(keys, pages, strict=True):
            new.append(bool(lines) and key not in known)
            if new[-1]:
                known.add(key)
        return new


def _key(host: str, line: str) -> str:
    return f"{host} {line}"
