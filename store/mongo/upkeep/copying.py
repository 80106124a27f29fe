"""All collections of a database read and written as BSON, for a backup.

A replica set gives a snapshot and keeps an oplog. A standalone server has neither: it is locked against writes while it
is read, by a process of its own (`fsync_lock`) that unlocks it also when ours is killed.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final

from bson import Timestamp
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from pymongo import MongoClient
from pymongo.client_session import ClientSession
from pymongo.collection import Collection
from pymongo.database import Database

from store.errors import NotFound, Unavailable
from store.mongo.engine.codec import Document
from store.mongo.engine.table import JOURNALED
from store.mongo.engine.translated_errors import translated
from store.mongo.upkeep import fsync_lock
from store.ports.upkeep.copying import Moment

RAW: CodecOptions[RawBSONDocument] = CodecOptions(document_class=RawBSONDocument)
TOGETHER_BYTES: Final = 8_000_000  # of documents that are written in one message
TOGETHER: Final = 1000
REPLAYED: Final = ("op", "o", "o2")  # of an entry of the oplog; its collection is named anew
WRITES: Final = ("i", "u", "d")
MADE_AT_START: Final = frozenset({"marks", "counters"})


class MongoSnapshot:
    """Every collection as of one moment: in a snapshot session, or while the server is locked."""

    def __init__(self, copying: "MongoCopying", session: ClientSession | None) -> None:
        self._copying = copying
        self._session = session
        self.moment: Moment | None = None

    def read(self, collection: str) -> Iterator[bytes]:
        for document in self._copying.read(collection, session=self._session):
            self._note_moment()
            yield document
        self._note_moment()

    def _note_moment(self) -> None:
        if self.moment is None and self._session is not None:
            time = self._session._snapshot_time
            self.moment = (time.time, time.inc) if time is not None else None


class MongoCopying:
    """The collections named so, of one database. contents: those whose documents never change."""

    def __init__(
        self,
        client: MongoClient[Document],
        url: str,
        database: Database[Document],
        address: str,
        names: Sequence[str],
        contents: Sequence[str],
    ) -> None:
        self._client, self._url, self._database, self._address = client, url, database, address
        self._names, self._contents = names, contents

    def collections(self) -> list[str]:
        return sorted(set(self._names) - set(self._contents))

    def contents(self) -> list[str]:
        return sorted(self._contents)

    @contextmanager
    def snapshot(self) -> Iterator[MongoSnapshot]:
        with translated(self._address):
            keeps_a_log = self._keeps_a_log()
        if keeps_a_log:
            with self._client.start_session(snapshot=True) as session:
                yield MongoSnapshot(self, session)
        else:
            with _locked(self._url, self._address):
                yield MongoSnapshot(self, None)

    def read(self, collection: str, *, session: ClientSession | None = None) -> Iterator[bytes]:
        with translated(self._address):
            found = self._raw(collection).find({}, sort=[("_id", 1)], hint="_id_", session=session)
            for document in found:
                yield bytes(document.raw)

    def write(self, collection: str, documents: Iterable[bytes]) -> int:
        target = self._raw(collection).with_options(write_concern=JOURNALED)
        count = 0
        with translated(self._address):
            for some in _lots(documents):
                target.insert_many(some, ordered=False, bypass_document_validation=True)
                count += len(some)
        return count

    def is_empty(self) -> bool:
        with translated(self._address):
            return all(self._database[name].find_one({}) is None for name in self._names if name not in MADE_AT_START)

    def clear(self) -> None:
        with translated(self._address):
            for name in self._names:
                self._database.get_collection(name, write_concern=JOURNALED).delete_many({})

    def log(self, after: Moment) -> Iterator[tuple[Moment, bytes]]:
        with translated(self._address):
            oplog = self._client["local"]["oplog.rs"]
            first = oplog.find_one({}, sort=[("$natural", 1)]) if self._keeps_a_log() else None
            if first is None or first["ts"] > Timestamp(*after):
                raise NotFound("backup.no_log", address=self._address)
            ours = {"$regex": f"^{self._database.name}\\."}
            which = {
                "ts": {"$gt": Timestamp(*after)},
                "$or": [{"ns": ours, "op": {"$in": WRITES}}, {"op": "c", "o.applyOps.ns": ours}],
            }
            raw: Collection[RawBSONDocument] = oplog.with_options(codec_options=RAW)
            for entry in raw.find(which, sort=[("$natural", 1)]):
                ts = entry["ts"]
                yield (ts.time, ts.inc), bytes(entry.raw)

    def replay(self, entries: Iterable[bytes], until: datetime | None) -> int:
        count = 0
        with translated(self._address):
            for lot in _lots(entries):
                some = [one for one in lot if until is None or one["ts"].as_datetime() <= until]
                writes = [write for entry in some for write in self._writes(entry)]
                if writes:
                    self._client.admin.command({"applyOps": writes})
                count += len(some)
        return count

    def _writes(self, entry: Mapping[str, Any]) -> list[Document]:
        """What an entry wrote, into our database, whatever that one was called."""
        each = [entry] if entry["op"] != "c" else [one for one in entry["o"]["applyOps"] if one["op"] in WRITES]
        return [
            {**{name: one[name] for name in REPLAYED if name in one}, "ns": f"{self._database.name}.{_within(one)}"}
            for one in each
        ]

    def _keeps_a_log(self) -> bool:
        return "setName" in self._client.admin.command("hello")

    def _raw(self, collection: str) -> Collection[RawBSONDocument]:
        return self._database.get_collection(collection).with_options(codec_options=RAW)


def _within(entry: Mapping[str, Any]) -> str:
    return str(entry["ns"]).partition(".")[2]


def _lots(documents: Iterable[bytes]) -> Iterator[list[RawBSONDocument]]:
    lot: list[RawBSONDocument] = []
    size = 0
    for document in documents:
        if lot and (len(lot) == TOGETHER or size + len(document) > TOGETHER_BYTES):
            yield lot
            lot, size = [], 0
        lot.append(RawBSONDocument(document))
        size += len(document)
    if lot:
        yield lot


@contextmanager
def _locked(url: str, address: str) -> Iterator[None]:
    """Writes wait while the block lasts. Raises `Unavailable` where the server cannot be locked."""
    holder = subprocess.Popen(
        [sys.executable, "-I", fsync_lock.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin
    assert holder.stdout
    with holder:
        holder.stdin.write(f"{url}\n")
        holder.stdin.flush()
        said = holder.stdout.readline().strip()
        if said != fsync_lock.LOCKED:
            raise Unavailable("backup.not_locked", address=address, error=said)
        yield
        holder.stdin.close()
