"""Lines that repeat across the pages of one host, counted lossily.

Manku and Motwani, "Approximate Frequency Counts over Data Streams" (VLDB 2002): after every BUCKET pages of a host the
lines whose count could not keep up are dropped. So a line on more than one page in BUCKET stays, its count falls short
by at most pages / BUCKET, and a host takes room for the lines of some BUCKET pages, however many it has.
"""

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from datetime import datetime

from pymongo import WriteConcern
from pymongo.database import Database

from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Declared, Table, index
from store.mongo.engine.utc_now import Clock
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
    dropped=("host_1_seen_at_1",),
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
        every = {line for _, lines in pages for line in lines}
        known = self.counts(host, every.union(text for text, _ in pages))
        new = _are_new(pages, known)
        counted = [{*lines, text} for (text, lines), one in zip(pages, new, strict=True) if one]
        if not counted:
            return Learned(new, self.pages(host), {line: known[line] for line in every & known.keys()})
        now = milliseconds(self._clock())
        found = self.hosts_table.changed(
            {"_id": host}, {"$inc": {"pages": len(counted)}, "$set": {"learned_at": now}}, upsert=True
        )
        assert found is not None
        bucket = found["pages"] // BUCKET
        on = Counter(line for lines in counted for line in lines)
        self._count(host, on, known, bucket, now)
        if found["pages"] % BUCKET < len(counted):
            self.lines_table.delete({**_lines_of(host), "$expr": {"$lte": [{"$add": ["$pages", "$born"]}, bucket]}})
        # What other workers count at this moment is left out: a count is never too high.
        counts = {line: known.get(line, 0) + on[line] for line in every if line in known or line in on}
        return Learned(new, found["pages"], counts)

    def _count(self, host: str, on: Counter[str], known: Mapping[str, int], bucket: int, now: datetime) -> None:
        """Nearly all lines are new, and inserted, which is done for many at a time."""
        born = [line for line in sorted(on) if line not in known]
        documents: list[Document] = [
            {"_id": _key(host, line), "host": host, "pages": on[line], "born": bucket, "seen_at": now} for line in born
        ]
        taken = self.lines_table.add_all(documents, concern=LOSSY)
        upserts = [
            self.lines_table.upserting(
                {"_id": _key(host, line)},
                {"$inc": {"pages": on[line]}, "$set": {"seen_at": now}, "$setOnInsert": {"host": host, "born": bucket}},
            )
            for line in [*sorted(on.keys() & known.keys()), *(born[at] for at in sorted(taken))]
        ]
        self.lines_table.write_all(upserts, concern=LOSSY)

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
            self.lines_table.delete({**_lines_of(host["_id"]), "seen_at": {"$lt": milliseconds(before)}})


def _are_new(pages: Sequence[tuple[str, Collection[str]]], known: Container[str]) -> list[bool]:
    """Which of these pages have lines, and a text that none before them had."""
    new: list[bool] = []
    texts: set[str] = set()
    for text, lines in pages:
        new.append(bool(lines) and text not in known and text not in texts)
        if new[-1]:
            texts.add(text)
    return new


def _lines_of(host: str) -> Document:
    """Return which lines are a host's, by the beginning of their ids."""
    return {"_id": {"$gte": f"{host} ", "$lt": f"{host}!"}}


def _key(host: str, line: str) -> str:
    return f"{host} {line}"
